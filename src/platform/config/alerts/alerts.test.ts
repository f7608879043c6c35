import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import { reported } from '../report/config-report.ts'
import { effectiveValues } from '../report/effective-values.ts'

const HOOK = { name: 'ops', format: 'webhook', url: 'http://alerts.internal:9000/hook' }
const SLACK = { name: 'chat', format: 'slack', urlEnv: 'SLACK_URL' }
const PAGER = { name: 'on-call', format: 'pagerduty', routingKeyEnv: 'PAGER_KEY' }

test('receivers with their defaults; secrets come from variables and files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-alerts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'url'), 'https://teams.example/canary-teams\n')
  const teams = { name: 'teams', format: 'teams', urlFile: join(folder, 'url'), rules: ['budget'] }
  const { receivers } = read({ receivers: [{ ...HOOK, checkpoints: true }, SLACK, PAGER, teams] })
  const plain = { routingKey: undefined, rules: null, checkpoints: false }
  assert.deepEqual(receivers, [
    { ...plain, ...HOOK, checkpoints: true },
    { ...plain, name: 'chat', format: 'slack', url: 'https://hooks.slack.example/canary-slack' },
    {
      ...plain,
      name: 'on-call',
      format: 'pagerduty',
      url: 'https://events.pagerduty.com/v2/enqueue',
      routingKey: 'canary-pager',
    },
    { ...plain, name: 'teams', format: 'teams', url: 'https://teams.example/canary-teams', rules: ['budget'] },
  ])
  assert.deepEqual(read(undefined), { receivers: [], rules: {} })
})

test('rules are switched off and get other thresholds by their ids', () => {
  const rules = { error_rate: { threshold: 0.2, for: 60 }, failed_jobs: { on: false } }
  assert.deepEqual(read({ rules }).rules, rules)
})

const MISTAKES: [string, unknown, RegExp][] = [
  ['an unknown member', { receiver: [] }, /alerts\.receiver: .*Did you mean "?receivers/],
  ['an unknown rule', { rules: { error_rates: {} } }, /alerts\.rules\.error_rates: .*Did you mean "?error_rate/],
  ['a rate above 1', { rules: { error_rate: { threshold: 5 } } }, /alerts\.rules\.error_rate\.threshold: .*at most 1/],
  [
    'a threshold of 0',
    { rules: { failed_jobs: { threshold: 0 } } },
    /alerts\.rules\.failed_jobs\.threshold: .*on: false/,
  ],
  [
    'a threshold of budgets',
    { rules: { budget: { threshold: 1 } } },
    /alerts\.rules\.budget\.threshold: .*no threshold/,
  ],
  ['an unknown format', { receivers: [{ ...HOOK, format: 'mail' }] }, /alerts\.receivers\.0\.format/],
  ['no address', { receivers: [{ ...HOOK, url: undefined }] }, /alerts\.receivers\.0\.url: Field required/],
  ['two addresses', { receivers: [{ ...HOOK, urlEnv: 'SLACK_URL' }] }, /alerts\.receivers\.0: url, urlEnv/],
  ['no address at all', { receivers: [{ ...HOOK, url: 'canary' }] }, /alerts\.receivers\.0\.url: should be an https/],
  ['a password', { receivers: [{ ...HOOK, url: 'https://u:canary@x.example' }] }, /alerts\.receivers\.0\.url: should/],
  ['a chat without TLS', { receivers: [{ ...SLACK, urlEnv: undefined, url: 'http://x.example' }] }, /\.url: should be/],
  ['a variable that is not set', { receivers: [{ ...SLACK, urlEnv: 'NOWHERE' }] }, /0\.urlEnv: the variable NOWHERE/],
  [
    'a missing file',
    { receivers: [{ ...PAGER, routingKeyEnv: undefined, routingKeyFile: '/nowhere' }] },
    /cannot be read/,
  ],
  ['PagerDuty without a key', { receivers: [{ ...PAGER, routingKeyEnv: undefined }] }, /needs the routing key/],
  ['a key of no use', { receivers: [{ ...HOOK, routingKeyEnv: 'PAGER_KEY' }] }, /only for the format pagerduty/],
  ['checkpoints for a chat', { receivers: [{ ...SLACK, checkpoints: true }] }, /0\.checkpoints: only .* webhook/],
  ['a name twice', { receivers: [HOOK, HOOK] }, /alerts\.receivers\.1\.name: another receiver/],
  [
    'a name with a slash',
    { receivers: [{ ...HOOK, name: 'a/b' }] },
    /alerts\.receivers\.0\.name: should be lower-case/,
  ],
]

for (const [what, alerts, message] of MISTAKES)
  test(`refuses ${what}, with its path and without the secret`, () => {
    assert.throws(
      () => read(alerts),
      (error: Error) =>
        error.name === 'ConfigError' && message.test(error.message) && !error.message.includes('canary'),
    )
  })

test('reports of the configuration show no secret of a receiver', () => {
  const url = 'https://hooks.slack.example/services/canary?x=canary'
  const receivers = [PAGER, SLACK, { name: 'plain', format: 'slack', url }]
  const text = JSON.stringify(effectiveValues(config({ receivers })).map((value) => reported(value, 'digest key')))
  assert.ok(text.includes('https://hooks.slack.example/***'))
  assert.ok(!text.includes('canary'))
})

function read(alerts: unknown) {
  return config(alerts).alerts
}

function config(alerts: unknown) {
  const content = JSON.parse(JSON.stringify({ alerts }))
  const environment = { SLACK_URL: 'https://hooks.slack.example/canary-slack', PAGER_KEY: 'canary-pager' }
  return parseConfig({ environment, file: { path: undefined, content } })
}
