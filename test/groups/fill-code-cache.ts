import '../../bin/quick-start.js'
import { flushCompileCache } from 'node:module'

// In a fresh clone nothing is compiled yet. Groups that began together would each compile the whole gateway.

await import('../e2e/gateway-under-test.ts')
flushCompileCache()
