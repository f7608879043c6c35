import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'))
after(() => rmSync(folder, { recursive: true }))

test('the place of a mistake in JSON is named with what to do, and nothing of the text is repeated', () => {
  const rows: [string, string][] = [
    ['{"port": 1', 'line 1, column 11: the file ends before its last bracket'],
    ['', 'line 1, column 1: the file ends before its last bracket'],
    ['{\n  "port": 1\n  "host": "canary"\n}', 'line 3, column 3: a comma or } is missing'],
    ['{"port": 1,\n}', 'line 2, column 1: remove the comma before this }'],
    ['{"a": [1, 2,]}', 'line 1, column 13: remove the comma before this ]'],
    ["{'port': 1}", 'line 1, column 2: use double quotes instead of single quotes'],
    ['{port: 1}', 'line 1, column 2: names need double quotes'],
    ['{"port": canary}', 'line 1, column 10: texts need double quotes'],
    ['{"port": 01}', 'line 1, column 10: texts need double quotes'],
    ['{"port" 1}', 'line 1, column 9: a colon is missing after the name'],
    ['{"port": }', 'line 1, column 10: something is missing before this bracket'],
    ['{"port": 1} "canary"', 'line 1, column 13: nothing may follow the last bracket'],
    ['{\n// canary\n"port": 1}', 'line 2, column 1: JSON has no comments; remove it, or use a .yaml file'],
    ['{"port": 1 # canary\n}', 'line 1, column 12: JSON has no comments; remove it, or use a .yaml file'],
    [
      '{"host": "canary\n"}',
      'line 1, column 10: this text has no closing quote, or contains a line break or a wrong backslash',
    ],
    [
      '{"host": "C:\\canary"}',
      'line 1, column 10: this text has no closing quote, or contains a line break or a wrong backslash',
    ],
    ['[[1], {"a": tru}]', 'line 1, column 13: texts need double quotes'],
    ['['.repeat(50_000), 'line 1, column 1: its brackets are nested too deeply'],
  ]
  for (const [text, words] of rows)
    assert.throws(() => readJson(text), new ConfigError(`is not valid JSON at ${words}`), text.slice(0, 60))
})

test('the place of a mistake in YAML is named with what to do, and nothing of the text is repeated', () => {
  const rows: [string, RegExp][] = [
    ['port: 1\n\thost: canary', /line 2, column \d: indent with spaces, not with tabs$/],
    ['port: 1\nport: 2', /line 2, column 1: this name is here twice$/],
    ['host: "canary', /line 1, column \d+: a bracket, a quote or a comma is missing$/],
    ['port: 1\n  host: canary', /line 1, column \d: (a line has two colons|the indentation)/],
    ['gatehouseApiKey: *canary', /line 1, column 18: a value that begins with \* needs quotes$/],
    ['aliases: &canary\n  x: *canary', /line 2, column 6: this alias is inside of what it stands for$/],
    ['aliases: &canary [{ x: [*canary] }]', /line 1, column 25: this alias is inside of what it stands for$/],
    ['gatehouseApiKey: !canary 1', /line 1, column 18: a value that begins with ! needs quotes$/],
    ['gatehouseApiKey: @canary', /line 1, column 18: a value that begins with @ or ` needs quotes$/],
    ['port: 1\n---\nport: 2', /line 2, column 1: the file may have one document only/],
    ['port: 1\ncanary\nhost: x', /line 2, column 1: a colon is missing after the name$/],
    ['host: "C:\\canary"', /line 1, column \d+: a backslash between double quotes/],
  ]
  for (const [text, words] of rows)
    assert.throws(
      () => readYaml(text),
      (error) => error instanceof ConfigError && words.test(error.message) && !/canary/.test(error.message),
      text,
    )
})

test('aliases of YAML stand for what was written before them, and many of them are read in one pass', () => {
  assert.deepEqual(readYaml('a: &x { b: 1 }\nc: *x\nd: [&x 2, *x]'), { a: { b: 1 }, c: { b: 1 }, d: [2, 2] })
  // To look for each of them in the whole document would take minutes.
  const many = `a: &x 1\nb: [${Array(30_000).fill('*x').join()}]`
  assert.throws(() => readYaml(many), /its aliases stand for too much$/)
})

test('YAML and JSON say the same', () => {
  const yaml = [
    '# comment',
    'port: 9000 # here too',
    'host: "0.0.0.0"',
    'adminHosts: [a.example, b.example]',
    'providers:',
    '  fake:',
    '    dialect: openai',
    '    baseUrl: http://127.0.0.1:9/v1',
    '    models:',
    '      - id: small',
    '        price: { input: 0.1, output: 0.4 }',
  ].join('\n')
  const content = {
    port: 9000,
    host: '0.0.0.0',
    adminHosts: ['a.example', 'b.example'],
    providers: {
      fake: {
        dialect: 'openai',
        baseUrl: 'http://127.0.0.1:9/v1',
        models: [{ id: 'small', price: { input: 0.1, output: 0.4 } }],
      },
    },
  }
  const [one, other] = [load('one.yaml', yaml), load('other.json', `\uFEFF${JSON.stringify(content)}`)]
  assert.deepEqual(one.source.file.content, content)
  assert.deepEqual([one.port, one.host, one.providers.fake], [other.port, other.host, other.providers.fake])
  assert.equal(load('comments.yml', '# port: 1\n').port, 8080)
  assert.equal(load('shared.yaml', 'host: &h 10.0.0.1\nadminHost: *h\n').adminHost, '10.0.0.1')
})

test('an unknown name is refused with its file, its path and the name that was probably meant', () => {
  const rows: [string, RegExp][] = [
    ['prot: 1', /^prot: no such setting\. Did you mean port\? \(in \S+wrong\.yaml\)$/],
    ['data_dir: x', /data_dir: no such setting\. Did you mean dataDir\?/],
    ['provider: {}', /provider: no such setting\. Did you mean providers\?/],
    ['zebra: 1', /zebra: no such setting\. docs\/settings\.md/],
    ['__proto__: { port: 1 }', /__proto__: no such setting/],
    [
      'GATEHOUSE_ENCRYPTION_KEY: canary',
      /^GATEHOUSE_ENCRYPTION_KEY: is a secret; set GATEHOUSE_ENCRYPTION_KEY in the environment/,
    ],
    ['encryptionKeys: canary', /^encryptionKeys: is a secret; set GATEHOUSE_ENCRYPTION_KEY in the environment/],
    ['PORT: 1', /^PORT: no such setting\. Did you mean port\? \(in \S+wrong\.yaml\)$/],
    [
      'providers: { x: { dialect: openai, baseURL: http://x, baseUrl: http://x } }',
      /x\.baseURL: Extra .*Did you mean baseUrl\?/,
    ],
    [
      'providers: { x: { dialect: openai, baseUrl: http://x, models: [{ id: a, price: { inptu: 1, input: 1, output: 1 } }] } }',
      /^providers\.x\.models\.0\.price\.inptu: Extra inputs are not permitted\. Did you mean input\? \(in \S+wrong\.yaml\)$/,
    ],
    ['timeouts: { openai: { totalms: 1 } }', /timeouts\.openai\.totalms: .* Did you mean totalMs\?/],
    ['credentials: { openai: [{ env: A, wieght: 1 }] }', /credentials\.openai\.0\.wieght: .* Did you mean weight\?/],
    ['credentials: { opneai: [{ env: A }] }', /credentials\.opneai: there is no such provider\. Did you mean openai\?/],
    ['regions: { mistrall/x: [eu] }', /regions\.mistrall\/x: there is no such provider\. Did you mean mistral\?/],
    [
      'aliases: { fast: { targets: [{ modle: canary/x }] } }',
      /aliases\.fast\.targets\.0\.modle: .* Did you mean model\?/,
    ],
    ['prices: { openai/x: { inputs: 1 } }', /prices\.openai\/x\.inputs: .* Did you mean input\?/],
    ['timeouts: { opneai: { idleMs: 1 } }', /^timeouts\.opneai: there is no such provider\. Did you mean openai\?/],
    ['timeouts: { totalMs: 1 }', /^timeouts\.totalMs: needs a provider, as in timeouts\.openai\.totalMs/],
    ['timeouts: { totlMs: 1 }', /^timeouts\.totlMs: needs a provider, as in timeouts\.openai\.totalMs/],
    ['retries: { mistrall/x: 1 }', /^retries\.mistrall\/x: there is no such provider\. Did you mean mistral\?/],
    ['providers: { opneai: { baseUrl: http://x } }', /^providers\.opneai: .* needs a dialect\. Did you mean openai\?/],
    [
      'budgets: [{ id: a, appliesTo: all, limit: 1, window: mnth }]',
      /^budgets\.0\.window: Input should be .* week, month, total, or idle:/,
    ],
    ['port: canary', /^port: should be a whole number from 0 to 65535 \(in \S+wrong\.yaml\)$/],
    ['- port', /\.yaml: should have settings such as port: 8080/],
  ]
  for (const [text, words] of rows)
    assert.throws(
      () => load('wrong.yaml', text),
      (error) => error instanceof ConfigError && words.test(error.message) && !/canary/.test(error.message),
      `${words}`,
    )
  assert.throws(
    () => load('fine.yaml', 'port: 1', { PORT: 'x' }),
    /^ConfigError: PORT: should be a whole number from 0 to 65535$/,
  )
})

test('two default files at once are refused, and one of any kind is found', () => {
  const before = process.cwd()
  process.chdir(folder)
  try {
    writeFileSync('gatehouse.config.yaml', 'port: 4001')
    assert.equal(loadConfig({}).port, 4001)
    writeFileSync('gatehouse.config.json', '{"port": 4002}')
    assert.throws(() => loadConfig({}), /gatehouse\.config\.json and gatehouse\.config\.yaml both exist\. Remove one/)
    assert.equal(loadConfig({ GATEHOUSE_CONFIG: 'gatehouse.config.json' }).port, 4002)
  } finally {
    process.chdir(before)
  }
})

function load(name: string, text: string, environment: Record<string, string> = {}) {
  writeFileSync(join(folder, name), text)
  return loadConfig({ ...environment, GATEHOUSE_CONFIG: join(folder, name) })
}
