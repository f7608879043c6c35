import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

// Passwords are hashed slowly on purpose: each takes a twentieth of a second. Tests in groups hash hundreds of them, so here
// argon2 gets less memory and one pass. Imported before the modules of the gateway. What a hash really costs is in
// src/sign-in/sign-in.test.ts; a file of tests that runs alone, and a process that a test starts, hash as the gateway does.

type Done = (error: Error | null, tag: Buffer) => void
type Argon2 = (algorithm: string, parameters: object, done: Done) => void
const QUICK = { memory: 8, passes: 1 }

const hashing = crypto as { argon2?: Argon2 }
const { argon2 } = hashing
if (argon2) {
  hashing.argon2 = (algorithm, parameters, done) => argon2(algorithm, { ...parameters, ...QUICK }, done)
  syncBuiltinESMExports()
}
