import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../base/schema/record.ts'
import { UsageError } from '../usage-error.ts'

// Files of agents in JSON, and how a part of them is taken out again.

/** A file of an agent that this command does not rewrite. */
export class NotPlain extends UsageError {}

/** A file with comments, or with a mistake, is not rewritten. */
export function jsonIn(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Said below.
  }
  throw new NotPlain(
    'The file of the agent is not plain JSON, so this command does not change it. --print shows what to add.',
  )
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A file before this command has written it, as it was written, and as it is now. */
export type Versions = { before: string; written: string; now: string }

type Path = readonly string[]

/** Members at these paths are as before, unless they have changed since they were written. Everything else is as it is now. */
export function membersTakenOut(paths: readonly Path[], { before, written, now }: Versions): string {
  const [earlier, ours, result] = [jsonIn(before), jsonIn(written), jsonIn(now)]
  for (const path of paths)
    if (isDeepStrictEqual(memberAt(result, path), memberAt(ours, path))) putBack(result, path, earlier)
  return before === '' && Object.keys(result).length === 0 ? '' : jsonText(result)
}

function memberAt(value: unknown, path: Path): unknown {
  return path.reduce((one, name) => (isRecord(one) ? one[name] : undefined), value)
}

/** An object that was not there before goes when it is empty. */
function putBack(result: Record<string, unknown>, path: Path, earlier: Record<string, unknown>): void {
  const parent = memberAt(result, path.slice(0, -1))
  const [name, value] = [path.at(-1)!, memberAt(earlier, path)]
  if (!isRecord(parent)) return
  if (value !== undefined) parent[name] = value
  else delete parent[name]
  const isGone = path.length > 1 && Object.keys(parent).length === 0
  if (isGone && memberAt(earlier, path.slice(0, -1)) === undefined) putBack(result, path.slice(0, -1), earlier)
}
