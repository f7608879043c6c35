// What is set before the first line of TypeScript is loaded. Groups of tests import it too: V8 takes compiled code from the
// cache only where it was compiled with the same flags, so that they and the gateways they start compile a file once.
import module from 'node:module'
import v8 from 'node:v8'

// For src/blobs/spent-buffers.ts.
v8.setFlagsFromString('--expose-gc')
// Hardly anything of a request outlives it: waking helpers to look for it took 6 % of all CPU, and 8 % of that of streams.
v8.setFlagsFromString('--no-parallel-scavenge')
// A quiet minute must not cost the compiled code: a collection while no request is here throws away the shapes of
// requests, and with them all that was compiled for them. Compiling it again doubles the CPU of the next 20,000.
v8.setFlagsFromString('--retain-maps-for-n-gc=1000')
v8.setFlagsFromString('--no-memory-reducer-favors-memory')

// A fifth of a start was looking for the files of 3,000 imports: stat, realpath and package.json for each. An import that
// says where its file is, with its ending, leaves nothing to look for.
module.registerHooks({ resolve })

const FORMATS = { '.ts': 'module-typescript', mjs: 'module' }

function resolve(specifier, context, next) {
  const format = specifier.startsWith('.') && context.parentURL ? FORMATS[specifier.slice(-3)] : undefined
  if (!format) return next(specifier, context)
  return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
}
