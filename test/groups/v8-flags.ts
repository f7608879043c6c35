import { setFlagsFromString } from 'node:v8'
import flags from '../../bin/v8-flags.json' with { type: 'json' }

// Those of the gateway, before any of its modules is loaded: V8 takes compiled code from the cache only where it was compiled
// with the same flags. So a group, and every process that its tests start, finds what another of them has compiled.

for (const flag of flags) setFlagsFromString(flag)
