// Runs before the tests: loads the gateway once, so that its compiled code is in Node's cache. In a fresh clone, many processes
// would compile the same files at the same time otherwise.
import '../../src/gateway.ts'
