import '../../bin/quick-start.js'
// Before anything imports `node:test`.
import './parent-search.ts'
import { runCutOff } from './run-cut-off.ts'

// The tests of the provider `local` run where there is no network, which proves that its engines need none.

if (!runCutOff(import.meta.filename)) await import('./without-network-tests.ts')
