/** Merges the Prometheus texts of several processes: values of the same series are added, and headings are kept once. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, Map<string, number>>()
  for (const text of texts) readInto(families, text)
  return [...families].map(([heading, series]) => heading + linesOf(series)).join('')
}

function readInto(families: Map<string, Map<string, number>>, text: string): void {
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [, heading, lines] = /^(# HELP .*\n# TYPE .*\n)([\s\S]*)$/.exec(block) ?? []
    if (heading === undefined || lines === undefined) continue
    const series = families.get(heading) ?? new Map<string, number>()
    families.set(heading, series)
    for (const line of lines.split('\n').filter(Boolean)) addLine(series, line)
  }
}

/** The value follows the last space. Labels may contain spaces too. */
function addLine(series: Map<string, number>, line: string): void {
  const space = line.lastIndexOf(' ')
  const name = line.slice(0, space)
  series.set(name, (series.get(name) ?? 0) + Number(line.slice(space + 1)))
}

function linesOf(series: Map<string, number>): string {
  return [...series].map(([name, value]) => `${name} ${value}\n`).join('')
}
