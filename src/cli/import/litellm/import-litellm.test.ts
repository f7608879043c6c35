import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CATALOG, CONFIG_NAMES, contentOf, importConfig } from '../../../../test/import/import-fixture.ts'
import { hostileCases } from '../../../../test/fakes/hostile-cases.ts'
import { parseConfig } from '../../../platform/config/config.ts'
import { isRecord, recordOf } from '../../../base/schema/record.ts'
import { reportText } from '../report.ts'
import { importLitellm } from './import-litellm.ts'
import { SECTIONS } from './mapping/mapping.ts'

function imported(content: Record<string, unknown>, environment: Record<string, string> = {}) {
  const { draft, findings } = importLitellm(content, { environment, catalog: CATALOG })
  const verdictOf = (path: string) => findings.find((one) => one.path === path)
  return { draft, findings, verdictOf, config: contentOf(draft) }
}

const model = (name: string, params: object, info?: object) => {
  return { model_name: name, litellm_params: params, ...(info && { model_info: info }) }
}

for (const name of CONFIG_NAMES)
  test(`${name}: the gateway accepts the result, every member has a verdict, and no secret is in an output`, () => {
    const { source, draft, findings } = importConfig(name)
    const content = draft.toConfig()
    parseConfig({ environment: {}, file: { path: undefined, content } })
    const paths = new Set(findings.map(({ path }) => path))
    const silent = [...membersOf(source.content, '', '')].filter((path) => !paths.has(path))
    assert.deepEqual(silent, [])
    for (const text of [JSON.stringify(content), JSON.stringify(findings), reportText(findings)])
      assert.doesNotMatch(text, /SECRET/)
  })

/** Written again, so that a member which the walk forgets is noticed. */
function* membersOf(value: object, path: string, section: string): Generator<string> {
  for (const [member, inner] of Object.entries(value)) {
    const [place, name] = [path ? `${path}.${member}` : member, section ? `${section}.${member}` : member]
    if (isRecord(inner) && SECTIONS[name]) yield* membersOf(inner, place, name)
    else if (Array.isArray(inner) && SECTIONS[`${name}[]`])
      for (const [index, item] of inner.entries()) yield* membersOf(item, `${place}[${index}]`, `${name}[]`)
    else yield place
  }
}

for (const name of CONFIG_NAMES)
  test(`${name}: the import has a verdict about any value at any place`, () => {
    const text = JSON.stringify(importConfig(name).source.content)
    for (const { text: changed, name: what } of hostileCases(text, 10)) {
      const content = recordOf(JSON.parse(changed))
      const { draft, findings } = imported(content)
      const file = { path: undefined, content: draft.toConfig() }
      assert.doesNotThrow(() => [reportText(findings), parseConfig({ environment: {}, file })], what)
    }
  })

test('an entry that the gateway would refuse is left to the operator, and the rest is imported', () => {
  const azure = { api_base: 'https://ours.openai.azure.com', api_version: '2024-10-21' }
  const refused = [
    { model: 'azure/a/deployment', ...azure },
    { model: 'openai/*' },
    { model: `openai/${'m'.repeat(300)}` },
    { model: 'bedrock/agent/AAAA/BBBB' },
    { model: 'bedrock/agentcore/arn:aws:bedrock-agentcore:us-west-2:1:runtime/x' },
    { model: 'vertex_ai/claude-sonnet-4-5', vertex_project: 'p' },
    { model: 'watsonx/deployment/abc' },
    { model: 'azure_ai/grok-3' },
  ]
  for (const params of refused) {
    const { config, verdictOf } = imported({
      model_list: [
        model('left', params),
        model('kept', { model: 'groq/m' }),
        model('left', { model: 'openai/gpt-4o' }),
      ],
    })
    assert.deepEqual(config.aliases.kept!.targets, [{ model: 'groq/m' }], params.model)
    assert.deepEqual(config.aliases.left!.targets, [{ model: 'openai/gpt-4o' }])
    assert.equal(verdictOf('model_list[0].litellm_params.model')!.outcome, 'manual', params.model)
    assert.equal(verdictOf('model_list[0].model_name')!.outcome, 'manual', params.model)
    parseConfig({ environment: {}, file: { path: undefined, content: config } })
  }
})

test('names of LiteLLM: what is only for LiteLLM is taken off, and servers without a row are providers of their own', () => {
  const targetOf = (params: object, info?: object) => {
    const { config, verdictOf } = imported({ model_list: [model('a', params, info)] })
    return {
      ...config,
      target: config.aliases.a!.targets[0]!,
      outcome: verdictOf('model_list[0].litellm_params.model')!.outcome,
    }
  }
  const names: [name: string, model: string, outcome: string, region?: string][] = [
    ['openai/responses/gpt-4o', 'openai/gpt-4o', 'approximate'],
    ['xai/responses/grok-4', 'xai/grok-4', 'approximate'],
    ['bedrock/us-east-1/1-month-commitment/anthropic.claude-v2', 'amazon/anthropic.claude-v2', 'manual', 'us-east-1'],
    ['bedrock/converse/us-west-2/amazon.nova-pro-v1:0', 'amazon/amazon.nova-pro-v1:0', 'exact', 'us-west-2'],
    ['bedrock/invoke/eu-west-1/anthropic.claude-x', 'amazon/anthropic.claude-x', 'approximate', 'eu-west-1'],
    ['text-completion-openai/gpt-3.5-turbo-instruct', 'openai/gpt-3.5-turbo-instruct', 'approximate'],
    ['voyage/voyage-3', 'voyage/voyage-3', 'exact'],
    ['voyage/rerank-2.5', 'voyage/rerank-2.5', 'approximate'],
    ['vertex_ai/gemini/gemini-2.5-pro', 'vertex/gemini-2.5-pro', 'approximate'],
    ['fireworks_ai/llama-v3p1-8b-instruct', 'fireworks/accounts/fireworks/models/llama-v3p1-8b-instruct', 'exact'],
    ['cohere/embed-english-v3.0', 'cohere/embed-english-v3.0', 'approximate'],
    ['codestral/codestral-latest', 'codestral-mistral-ai/codestral-latest', 'exact'],
    ['bedrock_mantle/us-west-2/openai.gpt-oss-120b', 'bedrock-mantle-us-west-2-api-aws/openai.gpt-oss-120b', 'exact'],
  ]
  for (const [name, id, outcome, region] of names) {
    const found = targetOf({ model: name })
    assert.deepEqual([found.target.model, found.outcome, found.target.region], [id, outcome, region], name)
  }
  const place = { vertex_ai_project: 'our-project', vertex_ai_location: 'europe-west4' }
  const vertex = targetOf({ model: 'vertex_ai/gemini-2.5-pro', ...place }).target
  assert.deepEqual([vertex.project, vertex.region], ['our-project', 'europe-west4'])
  const arn = 'arn:aws:bedrock:us-east-1:1:provisioned-model/x'
  assert.equal(targetOf({ model: 'bedrock/amazon.nova-pro-v1:0', model_id: arn }).target.model, `amazon/${arn}`)
  const foundry = (name: string) => targetOf({ model: name, api_base: 'https://ours.services.ai.azure.com' }).providers
  assert.deepEqual(foundry('azure_ai/grok-3'), {
    'ours-services-ai-azure-com': {
      dialect: 'openai',
      baseUrl: 'https://ours.services.ai.azure.com/models',
      auth: { scheme: 'header', header: 'api-key', env: 'AZURE_AI_API_KEY', optional: true },
    },
  })
  assert.deepEqual(foundry('azure_ai/claude-sonnet-4-5')['ours-services-ai-azure-com'], {
    dialect: 'anthropic',
    baseUrl: 'https://ours.services.ai.azure.com/anthropic/v1',
    auth: { scheme: 'header', header: 'x-api-key', env: 'AZURE_AI_API_KEY', optional: true },
  })
  // A version without a date has no deployments in its address.
  const azure = { model: 'azure/d', api_base: 'https://ours.openai.azure.com', api_version: 'preview' }
  assert.equal(targetOf(azure).target.apiVersion, undefined)
})

test('every source path has one row', () => {
  for (const [section, rows] of Object.entries(SECTIONS)) {
    const paths = rows.map(([path]) => path)
    assert.deepEqual(paths.length, new Set(paths).size, section)
  }
})

test('a field that no request can have is left to the operator, and the rest is imported', () => {
  const params = { model: 'openai/gpt-4o', max_tokens: '4096', seed: 1, extra_headers: { Authorization: 'SECRET' } }
  const { config, verdictOf } = imported({ model_list: [model('a', params)] })
  assert.deepEqual(config.aliases.a!.defaults, { seed: 1 })
  const noteOf = (member: string) => verdictOf(`model_list[0].litellm_params.${member}`)!.note
  assert.match(noteOf('max_tokens'), /^was left out, because requests cannot/)
  assert.match(noteOf('extra_headers'), /^a header carries a credential/)
})

test('deployments of one name are targets with weights, credentials and addresses, and a higher order is a fallback', () => {
  const { draft } = importConfig('load-balanced.yaml')
  const { aliases, credentials } = contentOf(draft)
  assert.deepEqual(aliases.chat!.targets, [
    {
      model: 'azure/gpt-4o',
      deployment: 'chat-eu',
      weight: 600,
      credential: 'AZURE_KEY_EU',
      baseUrl: 'https://ours-eu.openai.azure.com',
      apiVersion: '2024-10-21',
    },
    {
      model: 'azure/gpt-4o',
      deployment: 'chat-us',
      weight: 300,
      credential: 'IMPORTED_AZURE_KEY_1',
      baseUrl: 'https://ours-us.openai.azure.com',
      apiVersion: '2024-10-21',
    },
  ])
  assert.deepEqual(aliases.chat!.fallbacks, ['chat#2', 'claude', 'weighted'])
  assert.deepEqual([aliases['chat#2']!.hidden, aliases['chat#2']!.targets], [true, [{ model: 'openai/gpt-4o' }]])
  assert.deepEqual([aliases['gpt-4']!.targets, aliases['hidden-chat']!.hidden], [aliases.chat!.targets, true])
  assert.deepEqual(credentials, { azure: [{ env: 'AZURE_KEY_EU' }, { env: 'IMPORTED_AZURE_KEY_1' }] })
  assert.equal(draft.secrets.get('IMPORTED_AZURE_KEY_1'), 'SECRET-azure-us')
  assert.deepEqual([aliases.weighted!.retries, aliases.claude!.retries], [3, 2])
  assert.deepEqual(aliases.weighted!.timeouts, { headersMs: 20_000, idleMs: 20_000, firstTokenMs: 5_000 })
  assert.deepEqual(aliases.claude!.timeouts, { headersMs: 120_000, idleMs: 120_000 })
  assert.deepEqual(aliases.claude!.defaults, { temperature: 0.2, max_tokens: 4096 })
})

test('a server at another address is a provider of its own, and its key never reaches another', () => {
  const { providers, aliases, credentials, prices } = contentOf(importConfig('own-servers.yaml').draft)
  assert.deepEqual(aliases.compatible!.targets, [{ model: 'llm-example-com/our-model' }])
  assert.equal(providers['llm-example-com']!.auth.env, 'IMPORTED_LLM_EXAMPLE_COM_KEY_1')
  assert.deepEqual(providers['10-0-0-5-9000']!.auth, { scheme: 'none' })
  assert.deepEqual(providers['anthropic-example-com'], {
    dialect: 'anthropic',
    baseUrl: 'https://anthropic.example.com/v1',
    auth: { scheme: 'header', header: 'x-api-key', env: 'IMPORTED_ANTHROPIC_EXAMPLE_COM_KEY_1', optional: true },
  })
  assert.deepEqual(aliases.llama!.targets, [{ model: 'ollama/llama3.2', baseUrl: 'http://ollama.internal:11434/v1' }])
  assert.equal(credentials?.openai, undefined)
  assert.deepEqual(prices, { 'llm-example-com/priced': { input: 0.5, output: 1.5 } })
})

test('a deployment without a key keeps the usual variable, also beside one with a key of its own', () => {
  const { config } = imported({
    model_list: [
      model('a', { model: 'openai/gpt-4o', api_key: 'os.environ/KEY_B' }),
      model('b', { model: 'openai/gpt-4o' }),
      model('c', { model: 'together_ai/x' }),
    ],
  })
  assert.deepEqual(config.credentials, {
    openai: [{ env: 'KEY_B' }, { env: 'OPENAI_API_KEY' }],
    together: [{ env: 'TOGETHERAI_API_KEY' }, { env: 'TOGETHER_API_KEY' }],
  })
  assert.deepEqual(config.aliases.a!.targets, [{ model: 'openai/gpt-4o', credential: 'KEY_B' }])
  assert.deepEqual(config.aliases.b!.targets, [{ model: 'openai/gpt-4o', credential: 'OPENAI_API_KEY' }])
  assert.deepEqual(config.aliases.c!.targets, [{ model: 'together/x' }])
})

test('clouds: regions, projects, keys of Amazon as one credential, and what has no counterpart', () => {
  const { draft, findings } = importConfig('clouds.yaml')
  const { aliases } = contentOf(draft)
  assert.deepEqual(aliases.nova!.targets, [
    { model: 'amazon/amazon.nova-pro-v1:0', region: 'eu-central-1', credential: 'AWS_ACCESS_KEY_ID' },
  ])
  assert.equal(aliases['claude-by-role']!.targets[0]!.region, 'eu-west-1')
  assert.equal(draft.secrets.get('IMPORTED_AMAZON_KEYS_1'), 'SECRET-aws-id:SECRET-aws-key')
  assert.deepEqual(aliases['gemini-vertex']!.targets, [
    { model: 'vertex/gemini-2.5-pro', region: 'europe-west4', project: 'our-project' },
  ])
  const left = findings.filter(({ outcome }) => outcome === 'unsupported').map(({ path }) => path)
  assert.deepEqual(left, [
    'model_list[7].model_name',
    'model_list[7].litellm_params.model',
    'model_list[7].litellm_params.aws_region_name',
  ])
})

test('an address in a variable is taken over if the variable is known now, and else a person has to set it', () => {
  const content = {
    model_list: [model('a', { model: 'azure/d', api_base: 'os.environ/BASE', api_key: 'os.environ/AZURE_API_KEY' })],
  }
  assert.match(imported(content).verdictOf('model_list[0].litellm_params.api_base')!.note, /BASE is not set here/)
  const known = imported(content, { BASE: 'https://x.openai.azure.com' })
  assert.equal(known.config.aliases.a!.targets[0]!.baseUrl, 'https://x.openai.azure.com')
  const secret = imported(content, { BASE: 'https://user:hunter2@x.openai.azure.com' })
  assert.equal(secret.verdictOf('model_list[0].litellm_params.api_base')!.outcome, 'manual')
  assert.doesNotMatch(JSON.stringify([secret.config, secret.findings]), /hunter2/)
  // Without its address, the key of a deployment would go to the provider's own.
  for (const base of ['os.environ/UNSET', 'ftp://x', 'https://a:b@llm.example.com'])
    for (const prefix of ['openai', 'azure', 'hosted_vllm', 'custom_openai']) {
      const { draft, verdictOf } = imported({
        model_list: [model('a', { model: `${prefix}/m`, api_base: base, api_key: 'k' })],
      })
      assert.deepEqual([draft.toConfig(), draft.secrets.size], [{}, 0])
      assert.equal(verdictOf('model_list[0].litellm_params.api_key')!.note, 'the model is left out')
    }
})

test('stars: names of providers are passed on, other names are aliases, and what cannot be redirected is said', () => {
  const { draft, findings } = importConfig('wildcards.yaml')
  assert.deepEqual([...draft.aliases.keys()], ['ours-*'])
  assert.deepEqual(draft.aliases.get('ours-*')!.targets, [{ model: 'groq/*' }])
  assert.equal(findings.find(({ path }) => path === 'model_list[4].model_name')!.outcome, 'manual')
  const everything = imported({ model_list: [model('*', { model: 'openai/*' }), model('none', { model: 'azure/' })] })
  assert.deepEqual(everything.config.aliases, { '*': { targets: [{ model: 'openai/*' }] } })
  assert.equal(everything.verdictOf('model_list[1].litellm_params.model')!.note, 'names no model')
  const timed = imported({ model_list: [model('openai/*', { model: 'openai/*', timeout: 5 })] })
  assert.equal(timed.verdictOf('model_list[0].litellm_params.timeout')!.outcome, 'unsupported')
})

test('weights are whole numbers, and what LiteLLM never chooses is said to be chosen here', () => {
  const { config, verdictOf } = imported({
    model_list: [
      model('m', { model: 'openai/a', weight: 0.7 }),
      model('m', { model: 'openai/b', weight: 0.3 }),
      model('m', { model: 'openai/c' }),
      model('r', { model: 'openai/a', rpm: 10 }),
      model('r', { model: 'openai/b', rpm: 30 }),
    ],
  })
  assert.deepEqual(
    config.aliases.m!.targets.map(({ weight }) => weight),
    [1000, 429, undefined],
  )
  assert.match(verdictOf('model_list[2].litellm_params.model')!.note, /never chooses it/)
  assert.deepEqual(
    config.aliases.r!.targets.map(({ weight }) => weight),
    [10, 30],
  )
})

test('fallbacks to names that do not exist are named, and an alias is never its own fallback', () => {
  const { config, verdictOf } = imported({
    model_list: [model('a', { model: 'openai/a' }), model('b', { model: 'openai/b' })],
    router_settings: { fallbacks: [{ a: ['b', 'unknown', 'groq/x'] }, { c: ['a'] }], default_fallbacks: ['b'] },
  })
  assert.deepEqual([config.aliases.a!.fallbacks, config.aliases.b!.fallbacks], [['b', 'groq/x'], undefined])
  const { outcome, note } = verdictOf('router_settings.fallbacks')!
  assert.deepEqual([outcome, note], ['approximate', 'taken over, but there is no model unknown; there is no model c'])
})

test('secrets of the file: one variable for each, settings of Gatehouse are not among them', () => {
  const { draft, findings } = importConfig('credentials.yaml')
  assert.deepEqual(Object.fromEntries(draft.secrets), {
    OPENAI_KEY_B: 'SECRET-environment',
    GATEHOUSE_API_KEY: 'SECRET-master-2',
    IMPORTED_OPENAI_KEY_1: 'SECRET-shared',
  })
  const at = (path: string) => findings.find((one) => one.path === path)
  assert.equal(at('credential_list[0].credential_values.api_key')!.isSecret, true)
  assert.equal(at('credential_list[2].credential_values.api_key')!.outcome, 'manual')
  assert.match(at('environment_variables')!.note, /without DATABASE_URL/)
  assert.deepEqual(draft.aliases.get('three')!.targets[0]!.baseUrl, 'https://eu.openai.azure.com')
  assert.ok(draft.aliases.has('included'))
})

test('budgets and limits for everybody are in the config file', () => {
  const content = {
    litellm_settings: { max_budget: 100, budget_duration: '30d', timezone: 'Europe/Paris' },
    general_settings: { global_max_parallel_requests: 40 },
    router_settings: { provider_budget_config: { openai: { budget_limit: 5, time_period: '1d' }, nowhere: {} } },
  }
  const { draft, findings } = importLitellm(content, { environment: {}, catalog: CATALOG })
  const { budgets, rateLimits } = draft.toConfig() as Record<string, Record<string, unknown>[]>
  const shown = [...budgets!, ...rateLimits!].map(({ appliesTo, limit, window, timezone, providers, unit }) =>
    [appliesTo, unit, limit, window, timezone, providers].join(' '),
  )
  assert.deepEqual(shown, [
    'all usd 100 month Europe/Paris ',
    'all usd 5 day Europe/Paris openai',
    'all concurrent 40  Europe/Paris ',
  ])
  const outcomes = Object.fromEntries(findings.map(({ path, outcome }) => [path, outcome]))
  assert.deepEqual(outcomes, {
    'litellm_settings.max_budget': 'exact',
    'litellm_settings.budget_duration': 'exact',
    'litellm_settings.timezone': 'exact',
    'general_settings.global_max_parallel_requests': 'exact',
    'router_settings.provider_budget_config': 'manual',
  })
  parseConfig({ environment: {}, file: { path: undefined, content: draft.toConfig() } })
})

test('a target is not exact while its credential, region or project is not taken over', () => {
  const azure = { model: 'azure/d', api_base: 'https://ours.openai.azure.com', api_version: '2024-10-21' }
  const open: object[] = [
    { ...azure, azure_ad_token: 'SECRET' },
    { ...azure, client_id: 'a', azure_username: 'b', azure_password: 'SECRET' },
    { ...azure, api_version: 'os.environ/UNSET' },
    { ...azure, api_key: ['SECRET'] },
    { ...azure, region_name: 'eu' },
    { ...azure, litellm_credential_name: 'missing' },
    { model: 'openai/gpt-4o', organization: ['org-1', 'org-2'] },
    { model: 'bedrock/converse/amazon.nova-pro-v1:0', aws_region_name: 'os.environ/UNSET' },
    { model: 'bedrock/converse/amazon.nova-pro-v1:0', aws_role_name: 'arn:aws:iam::1:role/r' },
    { model: 'vertex_ai/gemini-2.5-pro', vertex_project: 'os.environ/UNSET' },
  ]
  for (const params of open) {
    const { verdictOf } = imported({ model_list: [model('a', params)] })
    assert.equal(verdictOf('model_list[0].litellm_params.model')!.outcome, 'manual', JSON.stringify(params))
  }
  const { verdictOf } = imported({ model_list: [model('a', azure)] })
  assert.equal(verdictOf('model_list[0].litellm_params.model')!.outcome, 'exact')
  const forSome = imported({
    router_settings: { enable_tag_filtering: true },
    model_list: [
      model('a', { model: 'openai/a', tags: ['free'] }),
      model('b', { model: 'openai/b' }, { team_id: 't' }),
      model('c', { model: 'openai/c' }, { supported_environments: ['staging'] }),
      model('d', { model: 'openai/d', api_key: null }, { mode: 'responses' }),
    ],
  })
  const verdicts = [0, 1, 2, 3].map((index) => forSome.verdictOf(`model_list[${index}].litellm_params.model`)!.outcome)
  assert.deepEqual(verdicts, ['manual', 'manual', 'manual', 'approximate'])
  assert.equal(forSome.verdictOf('model_list[3].litellm_params.api_key')!.note, 'has no value')
  const left = imported({ model_list: [model('bedrock/*', { model: 'bedrock/*', aws_region_name: 'us-east-1' })] })
  assert.equal(left.verdictOf('model_list[0].litellm_params.model')!.note, 'the model is left out')
  assert.equal(left.verdictOf('model_list[0].litellm_params.aws_region_name')!.outcome, 'manual')
  const all = imported({ model_list: [model('bedrock/*', { model: 'bedrock/*', aws_role_name: 'r' })] })
  assert.equal(all.verdictOf('model_list[0].litellm_params.aws_role_name')!.outcome, 'manual')
})

test('project and location of litellm_settings are those of models at Vertex AI without their own', () => {
  const { config, verdictOf } = imported({
    litellm_settings: { vertex_project: 'ours', vertex_location: 'os.environ/UNSET' },
    model_list: [
      model('a', { model: 'gemini-2.5-pro' }),
      model('b', { model: 'vertex_ai/gemini-2.5-pro', vertex_ai_project: 'theirs', vertex_location: 'us-east1' }),
      model('c', { model: 'openai/gpt-4o' }),
    ],
  })
  assert.deepEqual(config.aliases.a!.targets, [{ model: 'vertex/gemini-2.5-pro', project: 'ours' }])
  assert.deepEqual(config.aliases.b!.targets, [
    { model: 'vertex/gemini-2.5-pro', project: 'theirs', region: 'us-east1' },
  ])
  assert.deepEqual(config.aliases.c!.targets, [{ model: 'openai/gpt-4o' }])
  assert.equal(verdictOf('litellm_settings.vertex_project')!.outcome, 'exact')
  assert.equal(verdictOf('litellm_settings.vertex_location')!.outcome, 'manual')
})

test('fallbacks and other names: the names of models are ours, and what is no name does not spoil the rest', () => {
  const { draft, config, verdictOf } = imported({
    model_list: [model('a', { model: 'openai/a' }), model('b', { model: 'openai/b' })],
    router_settings: {
      fallbacks: [{ a: ['together_ai/z', 'ollama_chat/l', 'azure_ai/grok-3', 'b'] }],
      default_fallbacks: ['groq/x'],
      context_window_fallbacks: [{ '*': ['groq/long'] }],
      model_group_alias: { c: 'together_ai/z', 'two words': 'a', d: 'azure_ai/grok-3', '@e': 'a' },
    },
    litellm_settings: { model_alias_map: { f: 'openai/responses/o' } },
  })
  parseConfig({ environment: {}, file: { path: undefined, content: draft.toConfig() } })
  assert.deepEqual(Object.keys(config.aliases), ['a', 'b', 'c', 'f'])
  assert.deepEqual(config.aliases.a!.fallbacks, ['together/z', 'ollama/l', 'b', 'groq/long'])
  assert.deepEqual(config.aliases.b!.fallbacks, ['groq/x', 'groq/long'])
  assert.deepEqual(config.aliases.c!.targets, [{ model: 'together/z' }])
  assert.deepEqual(config.aliases.f!.targets, [{ model: 'openai/o' }])
  assert.equal(verdictOf('router_settings.fallbacks')!.outcome, 'approximate')
  assert.equal(verdictOf('router_settings.model_group_alias')!.outcome, 'unsupported')
  assert.match(verdictOf('router_settings.model_group_alias')!.note, /^two words, d, @e: /)
  assert.equal(verdictOf('litellm_settings.model_alias_map')!.outcome, 'approximate')
})

test('a setting of another form than LiteLLM documents is not said to be taken over', () => {
  const { findings } = imported({
    model_list: [
      model('a', { model: 'openai/a', input_cost_per_token: 'os.environ/P', output_cost_per_token: -1 }),
      model('b', { model: 'openai/b', extra_headers: { 'two words': 'x' } }),
    ],
    router_settings: { fallbacks: { a: ['b'] }, default_fallbacks: 'b', model_group_alias: ['b'] },
    litellm_settings: { fallbacks: ['b'], context_window_fallbacks: [{ a: 'b' }], max_budget: 'os.environ/B' },
    general_settings: { global_max_parallel_requests: 'many' },
  })
  const exact = findings.filter(({ outcome }) => outcome === 'exact').map(({ path }) => path)
  assert.deepEqual(exact, [
    'model_list[0].model_name',
    'model_list[0].litellm_params.model',
    'model_list[1].model_name',
    'model_list[1].litellm_params.model',
  ])
})

test('what holds for more than the deployment that says it, and a switch with one position here, are not exact', () => {
  const { config, verdictOf } = imported({
    model_list: [
      model('a', { model: 'openai/a', seed: 1, drop_params: false }),
      model('a', { model: 'groq/b' }),
      model('c', { model: 'openai/c', input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }),
      model('d', { model: 'openai/c' }),
      model('openai/*', { model: 'openai/*', api_key: 'os.environ/KEY_A' }),
      model('*', { model: '*' }),
    ],
    litellm_settings: { drop_params: false, json_logs: true, telemetry: true, turn_off_message_logging: false },
    general_settings: { allow_requests_on_db_unavailable: false, disable_master_key_return: true },
  })
  assert.deepEqual(config.aliases.a!.defaults, { seed: 1 })
  const outcomes = (paths: readonly string[]) => paths.map((path) => verdictOf(path)!.outcome)
  const approximate = [
    ...['model_list[0].litellm_params.seed', 'model_list[0].litellm_params.drop_params'],
    ...['model_list[2].litellm_params.input_cost_per_token', 'model_list[4].model_name', 'model_list[5].model_name'],
    ...['litellm_settings.drop_params', 'litellm_settings.telemetry', 'litellm_settings.turn_off_message_logging'],
    'general_settings.allow_requests_on_db_unavailable',
  ]
  assert.deepEqual(new Set(outcomes(approximate)), new Set(['approximate']))
  assert.deepEqual(outcomes(['litellm_settings.json_logs', 'general_settings.disable_master_key_return']), [
    'exact',
    'exact',
  ])
})

test('addresses: the version that LiteLLM adds, and one that Vertex AI has not', () => {
  const baseOf = (params: object) => {
    const { config } = imported({ model_list: [model('a', params)] })
    return Object.values(config.providers)[0]!.baseUrl
  }
  const base = 'https://llm.example.com'
  for (const name of ['huggingface/org/m', 'mistral/m'])
    for (const path of ['', '/', '/v1', '/v1/chat/completions'])
      assert.equal(baseOf({ model: name, api_base: `${base}${path}` }), `${base}/v1`, `${name} ${path}`)
  assert.equal(baseOf({ model: 'openai/m', api_base: base }), base)
  const vertex = { model: 'vertex_ai/gemini-2.5-pro', api_base: `${base}/v1` }
  const { config, verdictOf } = imported({ model_list: [model('a', vertex)] })
  assert.deepEqual(config.aliases, undefined)
  assert.equal(verdictOf('model_list[0].litellm_params.api_base')!.outcome, 'manual')
  // The price list has names of models in a region or tier.
  const azure = { model: 'azure/d', api_base: 'https://ours.openai.azure.com', api_version: '2024-10-21' }
  const priced = imported({ model_list: [model('a', azure, { base_model: 'azure/eu/gpt-4o' })] })
  assert.equal(priced.config.aliases.a!.targets[0]!.model, 'azure/gpt-4o')
  assert.equal(priced.verdictOf('model_list[0].model_info.base_model')!.outcome, 'approximate')
})
