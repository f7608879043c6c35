// Runs before the tests: loads the gateway once, so that its compiled code is in Node's cache. In a fresh clone, many processes
// would compile the same files at the same time otherwise. V8 keeps code only for processes with the same options, so this is
// done twice: for the tests, and for the gateways that they start as processes.
import { spawn } from 'node:child_process'
import { V8_OPTIONS } from '../../bin/node-options.js'
import '../../src/cli/serve.ts'
import '../../src/cli/serve-gateway.ts'
import '../../src/server/gateway.ts'

const isForGateways = V8_OPTIONS.every((option) => process.execArgv.includes(option))
if (!isForGateways) spawn(process.execPath, [...V8_OPTIONS, import.meta.filename], { stdio: 'inherit' })
