import { type Finding, OUTCOMES, type ImportOutcome } from './finding.ts'

const MAX_PLACES = 5

const TITLES: Record<ImportOutcome, string> = {
  exact: 'exact: does the same here',
  approximate: 'approximate: does something similar here',
  manual: 'manual: needs your decision',
  unsupported: 'unsupported: left out',
}

export function countsOf(findings: readonly Finding[]): Record<ImportOutcome, number> {
  const counts = { exact: 0, approximate: 0, manual: 0, unsupported: 0 }
  for (const { outcome, count = 1 } of findings) counts[outcome] += count
  return counts
}

/** The findings for a person: what needs attention comes last, and the same verdict about many models is one line. */
export function reportText(findings: readonly Finding[]): string {
  const sections = OUTCOMES.map((outcome) => sectionOf(outcome, findings)).filter((text) => text !== '')
  const counts = countsOf(findings)
  const sums = OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ')
  return `${sections.join('\n')}\n${sums}\n`
}

function sectionOf(outcome: ImportOutcome, findings: readonly Finding[]): string {
  const own = findings.filter((finding) => finding.outcome === outcome)
  if (own.length === 0) return ''
  const groups = Map.groupBy(own, ({ path, note, isSecret }) => JSON.stringify([patternOf(path), note, isSecret]))
  const lines = Array.from(groups.values(), lineOf)
  return `${TITLES[outcome]}\n${lines.join('')}`
}

function lineOf(group: readonly Finding[]): string {
  const [{ path, note, isSecret }] = group as [Finding]
  const count = group.reduce((sum, { count = 1 }) => sum + count, 0)
  const shownPath = group.length === 1 ? path : `${patternOf(path)} ${pathsOf(group)}`
  const times = group.length === 1 && count > 1 ? ` (${count})` : ''
  return `  ${shownPath}${times}\n      ${isSecret ? 'secret moved: ' : ''}${note}\n`
}

/** `#1 #4 #7`: which entries of the list, counted from 0 as in the paths. */
function pathsOf(group: readonly Finding[]): string {
  const places = group.slice(0, MAX_PLACES).map(({ path }) => `#${/\[(\d+)\]/.exec(path)?.[1] ?? '?'}`)
  const more = group.length > MAX_PLACES ? ` and ${group.length - MAX_PLACES} more` : ''
  return `(${group.length}: ${places.join(' ')}${more})`
}

function patternOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}
