import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { FAMILIES, type FamilyInfo } from '../src/platform/telemetry/family-table.ts'

// The table has every family that a running gateway has, and no other: test/e2e/telemetry/metrics-store.test.ts compares them.

const DOCS = join(import.meta.dirname, '..', 'docs')
const DASHBOARDS = ['grafana/requests.json', 'grafana/operations.json']
const SUFFIXES = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] }
const FAMILY_OF_SAMPLE = new Map(
  Object.entries<FamilyInfo>(FAMILIES).flatMap(([name, { type }]) =>
    SUFFIXES[type].map((suffix) => [`${name}${suffix}`, name] as const),
  ),
)
/** Labels that Prometheus and we add to every sample. */
const COMMON = ['process', 'instance', 'job', 'le']

const rules = parse(readFileSync(join(DOCS, 'prometheus/gatehouse.yml'), 'utf8')) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; description: string } }[] }[]
}
const alerts = rules.groups.flatMap((group) => group.rules)
const expressions = [...alerts.map(({ expr }) => expr), ...DASHBOARDS.flatMap(expressionsOf)]

test('dashboards and alert rules ask only for families that exist, with the labels that they have', () => {
  assert.ok(expressions.length > 40)
  for (const expression of expressions) {
    const names = expression.match(/\bgatehouse_\w+/g) ?? []
    assert.ok(names.length > 0 || expression.startsWith('up{'), expression)
    for (const name of names) assert.ok(FAMILY_OF_SAMPLE.has(name), `${name} in ${expression}`)
    const known = new Set([...COMMON, ...names.flatMap(labelsOf)])
    for (const label of labelsIn(expression)) assert.ok(known.has(label), `${label} in ${expression}`)
  }
})

test('every family is on a dashboard', () => {
  const shown = new Set(expressions.flatMap((expression) => expression.match(/\bgatehouse_\w+/g) ?? []))
  const families = new Set([...shown].map((name) => FAMILY_OF_SAMPLE.get(name)))
  const absent = Object.keys(FAMILIES).filter((name) => !families.has(name))
  assert.deepEqual(absent, ['gatehouse_upstream_connections_open', 'gatehouse_upstream_connections_idle'])
})

test('families about the whole store are never added up', () => {
  for (const expression of expressions)
    for (const [name, { isShared }] of Object.entries<FamilyInfo>(FAMILIES))
      if (isShared) assert.ok(!new RegExp(`sum[^()]*\\(${name}\\b`).test(expression), expression)
})

test('every alert says in sentences what has happened', () => {
  for (const { alert, annotations } of alerts) {
    assert.match(alert, /^Gatehouse[A-Z]\w+$/)
    for (const text of [annotations.summary, annotations.description]) assert.match(text, /\.$/, alert)
  }
})

function expressionsOf(file: string): string[] {
  const { panels } = JSON.parse(readFileSync(join(DOCS, file), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[]
  }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

function labelsOf(sample: string): readonly string[] {
  return FAMILIES[FAMILY_OF_SAMPLE.get(sample) as keyof typeof FAMILIES].labels
}

function labelsIn(expression: string): string[] {
  const grouped = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, labels]) => labels!.split(/,\s*/))
  const selected = Array.from(expression.matchAll(/\b(\w+)(?:=~|!=|=)"/g), ([, label]) => label!)
  return [...grouped.flat(), ...selected]
}
