import { adapterSchemas } from './adapter.ts'
import { subjectsOf } from './define.ts'

/** The namespace of the built-in demo. */
export const DemoNamespace = 'adapter:demo'
/** Every subject of the demo with its schemas. */
export const demoSchemas = adapterSchemas('Demo')
/** The whole names of the demo’s subjects. */
export const DemoSubjects = subjectsOf(DemoNamespace, demoSchemas)
