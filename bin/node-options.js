// The V8 options that Gatehouse runs with. bin/gatehouse.js sets them, and tests that start parts of the gateway directly
// use the same list, because V8 reuses compiled code only between processes with equal options.
// docs/performance.md says what each option gains.
export const V8_OPTIONS = [
  // src/platform/blobs/spent-buffers.ts requests a collection when large buffers are no longer used.
  '--expose-gc',
  // Few objects outlive their request, so waking helper threads to collect young objects costs more than it saves.
  '--no-parallel-scavenge',
  // A collection in a quiet minute would discard the hidden classes of requests, and with them the optimized code.
  '--retain-maps-for-n-gc=1000',
  '--no-memory-reducer-favors-memory',
]

/**
 * Variables that have to be set before a process starts. By default, glibc gives each thread a memory pool of its own, up to
 * eight for each core, and keeps what has become free in each of them.
 */
export const MEMORY_VARIABLES = { MALLOC_ARENA_MAX: '1' }
