import { adapterSchemas } from './adapter.ts'
import { subjectsOf } from './define.ts'

/** The namespace of Pi. */
export const PiSdkNamespace = 'adapter:piSdk'
/** Every subject of Pi with its schemas. */
export const piSdkSchemas = adapterSchemas('Pi')
/** The whole names of Pi’s subjects. */
export const PiSdkSubjects = subjectsOf(PiSdkNamespace, piSdkSchemas)
