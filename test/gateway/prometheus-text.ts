// A strict parser of the text format 0.0.4: a scraper drops a whole page because of one bad line.

type Sample = { name: string; labels: Record<string, string>; value: number }
export type Family = { name: string; help: string; type: string; samples: Sample[] }

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,?)/
const VALUE = /^(?:[+-]?Inf|NaN|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/
const ESCAPES: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }

export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  let current: Family | undefined
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('# HELP ')) current = openFamily(line, families)
    else if (line.startsWith('# TYPE ')) setType(line, current)
    else addSample(parseSample(line), current)
  }
  for (const family of families.values()) check(family)
  return families
}

function openFamily(line: string, families: Map<string, Family>): Family {
  const [, name = '', help = ''] = /^# HELP (\S+) (.+)$/.exec(line) ?? []
  if (NAME.exec(name)?.[0] !== name || families.has(name)) throw new Error(`bad or repeated name: ${line}`)
  const family = { name, help, type: '', samples: [] }
  families.set(name, family)
  return family
}

function setType(line: string, family: Family | undefined): void {
  const [, name, type = ''] = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? []
  if (!family || family.name !== name || family.type !== '' || family.samples.length > 0)
    throw new Error(`bad type: ${line}`)
  family.type = type
}

function parseSample(line: string): Sample {
  const name = NAME.exec(line)?.[0]
  if (!name) throw new Error(`not a sample: ${line}`)
  const { labels, rest } = parseLabels(line.slice(name.length))
  const value = rest.replace(/^ /, '')
  if (rest === value || !VALUE.test(value)) throw new Error(`not a value: ${line}`)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

function parseLabels(text: string): { labels: Record<string, string>; rest: string } {
  const labels: Record<string, string> = {}
  if (!text.startsWith('{')) return { labels, rest: text }
  let rest = text.slice(1)
  while (!rest.startsWith('}')) {
    const [whole, name, value, comma] = LABEL.exec(rest) ?? []
    if (!whole || Object.hasOwn(labels, name!)) throw new Error(`bad or repeated label: ${text}`)
    labels[name!] = value!.replace(/\\["\\n]/g, (escaped) => ESCAPES[escaped]!)
    rest = rest.slice(whole.length)
    if (comma === '' && !rest.startsWith('}')) throw new Error(`no comma: ${text}`)
  }
  return { labels, rest: rest.slice(1) }
}

function addSample(sample: Sample, family: Family | undefined): void {
  const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!family || !suffixes.some((suffix) => sample.name === family.name + suffix))
    throw new Error(`${sample.name} is out of place`)
  family.samples.push(sample)
}

function check(family: Family): void {
  const seen = new Set(family.samples.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).sort()])))
  if (seen.size !== family.samples.length) throw new Error(`${family.name} has a series twice`)
  if (family.type === '') throw new Error(`${family.name} has no type`)
  if (family.type === 'counter' && family.samples.some(({ value }) => !(value >= 0)))
    throw new Error(`${family.name} went down`)
  if (family.type === 'histogram') checkHistogram(family)
}

/** Every series has growing buckets in order, up to +Inf, which equals its count; and a sum. */
function checkHistogram({ name, samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const [labels, own] of series) {
    const buckets = own.filter((sample) => sample.name.endsWith('_bucket'))
    const bounds = buckets.map(({ labels }) => Number(labels.le!.replace('Inf', 'Infinity')))
    const counts = buckets.map(({ value }) => value)
    const [count, sum] = ['_count', '_sum'].map((suffix) => own.find((sample) => sample.name === name + suffix)?.value)
    const grows = (list: number[]) => list.every((value, index) => index === 0 || value >= list[index - 1]!)
    if (!grows(bounds) || !grows(counts) || bounds.at(-1) !== Number.POSITIVE_INFINITY)
      throw new Error(`${name}${labels}: buckets`)
    if (counts.at(-1) !== count || sum === undefined) throw new Error(`${name}${labels}: count or sum`)
  }
}
