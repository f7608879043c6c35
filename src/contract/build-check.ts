import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// One of typebox's files, by its place in the package, whose version is fixed. Its index loads the words for faults in forty
// languages as well, which nobody here reads: 72 more modules to be loaded at every start.

type TypeBox = typeof import('typebox/schema')

const load = createRequire(import.meta.url)
const file = join(dirname(load.resolve('typebox/schema')), 'build.mjs')

/** Makes a function that checks values against a schema. */
export const buildCheck = (load(file) as Pick<TypeBox, 'Build'>).Build
