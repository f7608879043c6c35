// The options that Node runs Gatehouse with. bin/gatehouse.js sets them, and tests that start parts of the gateway by
// themselves use the same list, because V8 reuses compiled code only between processes with equal options.
// docs/performance.md says what each of them brings.
export const NODE_OPTIONS = [
  // src/blobs/spent-buffers.ts asks for a collection when large buffers are done with.
  '--expose-gc',
  // Hardly anything of a request outlives it, so waking helper threads to collect young objects costs more than it saves.
  '--no-parallel-scavenge',
  // A collection in a quiet minute would throw away the hidden classes of requests, and with them the optimized code.
  '--retain-maps-for-n-gc=1000',
  '--no-memory-reducer-favors-memory',
]
