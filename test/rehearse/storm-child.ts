import { randomCuts } from './storms/cuts.ts'
import { crossTalk } from './storms/cross-talk.ts'
import { leaving } from './storms/leaving.ts'
import { openAndCancel } from './storms/open-and-cancel.ts'
import type { Storm } from './storms/storm.ts'

// Runs one storm after the other in a process of its own, so that its memory and its sockets can be measured: `node
// test/rehearse/storm-child.ts randomCuts=1000 leaving=500`. Prints a line of JSON for each.

const STORMS: Record<string, Storm> = { randomCuts, leaving, openAndCancel, crossTalk }
/** The limit for all storms together. */
const UNTIL_MS = 240_000

for (const argument of process.argv.slice(2)) {
  const [name, count] = argument.split('=') as [string, string]
  const result = await STORMS[name]!({ count: Number(count), untilMs: UNTIL_MS - performance.now(), strict: true })
  console.log(JSON.stringify(result))
}
