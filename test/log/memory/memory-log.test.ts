import { openMemoryLog } from '../../../src/log/index.ts'
import { logContract } from '../contract.ts'

logContract('memory', () => openMemoryLog())
