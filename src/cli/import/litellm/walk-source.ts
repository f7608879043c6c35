import { isRecord } from '../../../base/schema/record.ts'
import type { Finding, Verdict } from '../finding.ts'
import { SECTIONS, usualVerdict } from './mapping/mapping.ts'

/** A finding for every member of every section, so that nothing of the source is passed over in silence. */
export function findingsOf(content: Record<string, unknown>, special: ReadonlyMap<string, Verdict>): Finding[] {
  return [...walk(content, '', '', special)]
}

function* walk(
  value: Record<string, unknown>,
  path: string,
  section: string,
  special: ReadonlyMap<string, Verdict>,
): Generator<Finding> {
  for (const [member, inner] of Object.entries(value)) {
    const memberPath = path === '' ? member : `${path}.${member}`
    const below = section === '' ? member : `${section}.${member}`
    const parts = partsOf(inner, memberPath, below)
    if (parts) for (const part of parts) yield* walk(part.value, part.path, part.section, special)
    else yield { path: memberPath, ...(special.get(memberPath) ?? usualVerdict(section, member, inner)) }
  }
}

type Part = { value: Record<string, unknown>; path: string; section: string }

/** The sections inside of a member; undefined if the member has a verdict as a whole. */
function partsOf(value: unknown, path: string, section: string): Part[] | undefined {
  if (Object.hasOwn(SECTIONS, section) && isRecord(value)) return [{ value, path, section }]
  const list = `${section}[]`
  if (!Object.hasOwn(SECTIONS, list) || !Array.isArray(value)) return undefined
  return value.flatMap((item, index) =>
    isRecord(item) ? [{ value: item, path: `${path}[${index}]`, section: list }] : [],
  )
}
