export { createExecDecoder as createCodexDecoder } from './exec.ts'
