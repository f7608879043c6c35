import { FAMILIES, type FamilyInfo } from './family-table.ts'

// Prometheus texts of several processes as one.

/** More lines than the families of one process can have. The sums of processes that died must not grow without end. */
const MAX_LINES = 50_000

type Families = Map<string, Map<string, number>>

/** Values of the same series are added, and headings are kept once. */
export function mergeMetrics(texts: readonly string[], maxLines = MAX_LINES): string {
  const families: Families = new Map()
  for (const text of texts) for (const block of blocksOf(text)) readInto(families, block, maxLines)
  return [...families].map(([heading, series]) => heading + linesOf(series)).join('')
}

/** The families whose values only grow, which a process that has ended leaves behind. */
export function countersOf(text: string): string {
  return blocksOf(text)
    .filter(({ heading }) => /^# TYPE \S+ (?:counter|histogram)$/m.test(heading))
    .map(({ heading, lines }) => heading + lines)
    .join('')
}

/** Adds a label to every sample. */
export function withLabel(text: string, label: string, value: string): string {
  return text.replace(/^([^#{ \n][^{ \n]*)(?:\{(.*)\})? (\S+)$/gm, (_, name, labels, number) => {
    return `${name}{${labels ? `${labels},` : ''}${label}="${value}"} ${number}`
  })
}

type Block = { heading: string; lines: string }

function blocksOf(text: string): Block[] {
  return text.split(/^(?=# HELP )/m).flatMap((block) => {
    const [, heading, lines] = /^(# HELP .*\n# TYPE .*\n)([\s\S]*)$/.exec(block) ?? []
    return heading === undefined || lines === undefined ? [] : [{ heading, lines }]
  })
}

function readInto(families: Families, { heading, lines }: Block, maxLines: number): void {
  const series = families.get(heading) ?? new Map<string, number>()
  families.set(heading, series)
  const combine = isLargest(heading.split(' ')[2]!) ? Math.max : (one: number, other: number) => one + other
  for (const line of lines.split('\n').filter(Boolean)) {
    // The value follows the last space. Labels may contain spaces too.
    const space = line.lastIndexOf(' ')
    const name = boundedName(series, line.slice(0, space), maxLines)
    series.set(name, combine(series.get(name) ?? 0, Number(line.slice(space + 1))))
  }
}

/** Processes tell each other about circuits, and delays do not add up: there the largest value counts. */
function isLargest(name: string): boolean {
  const families: Readonly<Record<string, FamilyInfo>> = FAMILIES
  return families[name]?.merge === 'largest'
}

function boundedName(series: ReadonlyMap<string, number>, name: string, maxLines: number): string {
  if (series.size < maxLines || series.has(name)) return name
  return name.replace(/(\w+)="(?:[^"\\]|\\.)*"/g, (whole, label) => (label === 'le' ? whole : `${label}="other"`))
}

function linesOf(series: Map<string, number>): string {
  return [...series].map(([name, value]) => `${name} ${value}\n`).join('')
}
