import { readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { isRecord } from '../../src/base/schema/record.ts'

// `node read-go-tests.ts FILE MODULE`: prints a line for each test in the events of `go test -json`: `passed`, `failed` or `skipped`, the
// package if it is not that of the module itself, and the name.

const OUTCOMES = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])

const [, , file, module] = argv
if (file === undefined || module === undefined) throw new Error('Name the file of events and the module.')
for (const line of readFileSync(file, 'utf8').split('\n'))
  if (line.startsWith('{')) for (const outcome of outcomeOf(JSON.parse(line), module)) console.log(outcome)

/** Events of a package, and of the output of a test, are none. */
function outcomeOf(event: unknown, module: string): string[] {
  if (!isRecord(event) || typeof event.Test !== 'string') return []
  const outcome = OUTCOMES.get(String(event.Action))
  const folder = String(event.Package).slice(module.length + 1)
  return outcome ? [`${outcome} ${folder && `${folder} `}${event.Test}`] : []
}
