import { closed, moment, nullable, optional, timestamp, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { GUARDRAIL_OUTCOMES } from './line-filters.ts'
import { ENDPOINT_SCOPES } from './policy.ts'

/** In the order in which they run. */
export const CHECK_NAMES = [
  ...[
    'patterns',
    'secrets',
    'personal_data',
    'anonymization',
    'presidio',
    'bedrock',
    'model_armor',
    'lakera',
    'external',
  ],
  ...['moderation', 'azure_content_safety', 'prompt_guard', 'llama_guard', 'injection', 'judge'],
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

const MAX_LIST = 100
const MAX_CHECKS = 10
const MAX_CHARS = 1_000
const MAX_GUARDRAIL_TIMEOUT_MS = 30_000
const DEFAULT_TIMEOUT_MS = 3_000
const text = (description: string, maxLength = 256) => Type.String({ minLength: 1, maxLength, description })

const Check = Type.Unsafe<{ check: string } & Record<string, unknown>>({
  type: 'object',
  properties: { check: words([...CHECK_NAMES], { description: 'What is looked for, and by whom.' }) },
  required: ['check'],
  additionalProperties: true,
  title: 'GuardrailCheck',
  description: 'A check and its parameters, which docs/guardrail-checks.md lists.',
})

const AppliesTo = text('`all`, `organization:<id>`, `project:<id>` or `key:<id>`.')
const checks = Type.Array(Check, { minItems: 1, maxItems: MAX_CHECKS, description: 'What is looked for.' })
const action = words(['flag', 'redact', 'block'], {
  description:
    'What follows if a check finds something: it is reported; or what was found is replaced by a placeholder, and what cannot be replaced is blocked; or the call is refused. Of several guardrails, the strictest wins.',
})

const settings = {
  name: optional(text('A name.', 200), 'What people call it.'),
  models: optional(
    Type.Array(text('A pattern.'), { minItems: 1, maxItems: MAX_LIST }),
    'Only for these models: `provider/model`, the name of an alias, or a beginning with `*`. All if absent.',
  ),
  endpoints: optional(
    Type.Array(words([...ENDPOINT_SCOPES]), { minItems: 1, maxItems: ENDPOINT_SCOPES.length }),
    'Only for these endpoints. All if absent.',
  ),
  phases: optional(
    Type.Array(words(['input', 'output', 'tool_arguments', 'tool_results']), { minItems: 1, maxItems: 4 }),
    'What is checked: all that goes to a model (`input`), of it only results of tools (`tool_results`), all that comes back (`output`), of it only the arguments of tool calls (`tool_arguments`).',
    { default: ['input', 'output'] },
  ),
  on_error: optional(
    words(['open', 'closed']),
    'What a check that fails or takes too long means: the call goes on (`open`) or is refused. Absent: `open` for `flag`, `closed` for the others. A check whose credentials are wrong, and a text that is too much for a check, always count as closed.',
  ),
  timeout_ms: optional(
    Type.Integer({ minimum: 1, maximum: MAX_GUARDRAIL_TIMEOUT_MS }),
    'How long a check outside of the gateway may take, in milliseconds.',
    { default: DEFAULT_TIMEOUT_MS },
  ),
  sample: optional(Type.Number({ minimum: 0, maximum: 1 }), 'The fraction of calls that is checked.', { default: 1 }),
  mode: optional(
    words(['enforce', 'shadow']),
    'A `shadow` guardrail reports what it finds, and changes and refuses nothing.',
    {
      default: 'enforce',
    },
  ),
  respond: optional(
    words(['error', 'message']),
    'What the caller of a blocked chat gets: an error, or an answer that ends with `content_filter` and says `message`. Other endpoints answer with an error.',
    { default: 'error' },
  ),
  message: optional(text('A text.', MAX_CHARS), 'What the caller is told when the guardrail blocks.'),
}

const id = optional(
  text('An id.', 100),
  'Your own id of it. Absent: one is made. Only a role on the organization `default` and admin keys choose it.',
)

export const CreateGuardrailRequest = Type.Object(
  { id, applies_to: AppliesTo, checks, action, ...settings },
  { title: 'CreateGuardrailRequest', description: 'A guardrail to create.', ...closed },
)
export type CreateGuardrailRequest = Static<typeof CreateGuardrailRequest>

export const ChangeGuardrailRequest = Type.Object(
  {
    applies_to: Type.Optional(AppliesTo),
    checks: Type.Optional(checks),
    action: Type.Optional(action),
    ...settings,
  },
  { title: 'ChangeGuardrailRequest', description: 'What to change. A member that is null is removed.', ...closed },
)
export type ChangeGuardrailRequest = Static<typeof ChangeGuardrailRequest>

export const GuardrailBody = Type.Object(
  {
    id: text('Its id.'),
    owned_by: words(['file', 'api'], { description: 'Only guardrails of the `api` can be changed here.' }),
    set_by: words(['project', 'organization', 'installation'], {
      description: 'With which rights it was set. A role that reaches less far cannot change it.',
    }),
    applies_to: AppliesTo,
    checks,
    action,
    ...settings,
    created_at: nullable(moment, 'When it was created. Null for a guardrail of the config file.'),
    updated_at: nullable(moment, 'When it was last changed. Null for a guardrail of the config file.'),
  },
  { title: 'Guardrail', description: 'What is checked of all calls of a project, whatever its callers ask for.' },
)
export type GuardrailBody = Static<typeof GuardrailBody>

export const GuardrailList = pageOf(GuardrailBody, {
  title: 'GuardrailList',
  description: 'Guardrails, page by page.',
  items: 'The guardrails, by id.',
})
export type GuardrailList = Static<typeof GuardrailList>

const MAX_TEST_CHARS = 100_000

export const TestGuardrailRequest = Type.Object(
  {
    guardrail: optional(
      text('An id.'),
      'The guardrail to try. Absent: the body describes one in `checks` and `action`.',
    ),
    checks: optional(checks, 'What is looked for.'),
    action: optional(action, 'What follows if a check finds something.'),
    timeout_ms: settings.timeout_ms,
    text: Type.String({ maxLength: MAX_TEST_CHARS, description: 'The text to check.' }),
    phase: optional(words(['input', 'output', 'tool_arguments', 'tool_results']), 'Where the text would be.', {
      default: 'input',
    }),
    project: optional(
      text('The id of a project.'),
      'Who pays for what checks ask models. You need the right to create a key in it. Your only project if absent, or `personal`.',
    ),
  },
  { title: 'TestGuardrailRequest', description: 'A guardrail, which may not exist yet, and a text.', ...closed },
)
export type TestGuardrailRequest = Static<typeof TestGuardrailRequest>

export const TestedGuardrail = Type.Object(
  {
    outcome: words(['passed', 'flagged', 'redacted', 'blocked', 'failed'], {
      description:
        'What would follow. `failed`: a check has failed, and the guardrail would therefore refuse the call.',
    }),
    found: Type.Array(Type.String(), { description: 'What was found, as `check: rule`, without the text.' }),
    failed: Type.Array(Type.String(), { description: 'Checks that failed, as `check: reason`.' }),
    text: nullable(Type.String(), 'The text as it would go on. Null if it would not.'),
    cost: nullable(Type.Number(), 'What models cost, in USD. Null if that is not known.'),
  },
  { title: 'TestedGuardrail', description: 'What the guardrail would do with the text.' },
)
export type TestedGuardrail = Static<typeof TestedGuardrail>

const calls = (description: string) => Type.Integer({ description })
const outcomeCounts = {
  passed: calls('Calls in which it found nothing.'),
  flagged: calls('Calls in which it reported something.'),
  redacted: calls('Calls in which it replaced something.'),
  blocked: calls('Calls that it refused.'),
  unscanned: calls('Calls of which it could not check something.'),
  would_redact: calls('Calls in which it would have replaced something.'),
  would_block: calls('Calls that it would have refused.'),
}
const Found = Type.Object(
  {
    check: nullable(Type.String(), 'The check. Null for what no check can read.'),
    outcome: words([...GUARDRAIL_OUTCOMES], { description: 'What it did.' }),
    rule: Type.String({ description: 'What was found, or why nothing was looked at.' }),
    calls: calls('In how many calls.'),
  },
  { title: 'GuardrailFound', description: 'What a check found.' },
)

export const GuardrailReport = Type.Object(
  {
    guardrail: text('Its id.'),
    from: timestamp('Where the calls that were counted begin.'),
    to: timestamp('Where they end.'),
    is_complete: Type.Boolean({
      description:
        'Whether the report begins where it was asked to. It counts the newest 100,000 calls, if their lines are still stored.',
    }),
    days: Type.Array(
      Type.Object(
        {
          day: Type.String({ description: 'The day, in UTC.' }),
          calls: calls('Calls that it looked at.'),
          ...outcomeCounts,
        },
        {
          title: 'GuardrailDay',
          description: 'A day. A call counts once for each thing that the guardrail did in it.',
        },
      ),
      { description: 'Days with calls, oldest first.' },
    ),
    found: Type.Array(Found, { description: 'What was found most often, at most 100 entries.' }),
  },
  { title: 'GuardrailReport', description: 'What a guardrail did, or would have done in shadow mode, day by day.' },
)
export type GuardrailReport = Static<typeof GuardrailReport>

const MAX_REPLAYED = 200

export const ReplayGuardrailRequest = Type.Object(
  {
    guardrail: optional(
      text('An id.'),
      'The guardrail to try. Absent: the body describes one in `checks` and `action`.',
    ),
    checks: optional(checks, 'What is looked for.'),
    action: optional(action, 'What follows if a check finds something.'),
    phases: settings.phases,
    timeout_ms: settings.timeout_ms,
    project: text('The project whose kept contents are read. You need the right to read all of them.'),
    calls: optional(Type.Integer({ minimum: 1, maximum: MAX_REPLAYED }), 'How many calls, the newest first.', {
      default: 50,
    }),
    ask: optional(
      Type.Boolean(),
      'Whether services and models are asked, too. They see the contents, and may cost; `project` pays, and you need the right to create a key in it.',
      { default: false },
    ),
  },
  {
    title: 'ReplayGuardrailRequest',
    description: 'A guardrail, which may not exist yet, and whose contents it looks at.',
    ...closed,
  },
)
export type ReplayGuardrailRequest = Static<typeof ReplayGuardrailRequest>

export const ReplayedGuardrail = Type.Object(
  {
    calls: calls('Calls whose contents were looked at.'),
    is_complete: Type.Boolean({
      description: 'Whether all calls were looked at. A replay ends after 20 seconds, or 8 MB of contents.',
    }),
    passed: outcomeCounts.passed,
    flagged: calls('Calls in which it would report something.'),
    would_redact: calls('Calls in which it would replace something.'),
    would_block: calls('Calls that it would refuse.'),
    unscanned: calls('Calls of which it could not check something.'),
    not_asked: Type.Array(Type.String(), { description: 'Checks that ask services or models, and were left out.' }),
    requests: Type.Array(
      Type.Object(
        {
          id: text('The id of the call.'),
          outcome: words(['flagged', 'would_redact', 'would_block', 'unscanned'], {
            description: 'What would follow, at most.',
          }),
          found: Type.Array(Type.String(), { description: 'What was found, as `check: rule`, without the text.' }),
        },
        { title: 'ReplayedRequest', description: 'A call in which something was found.' },
      ),
      { description: 'The calls in which something was found, the newest first.' },
    ),
    cost: nullable(Type.Number(), 'What models cost, in USD. Null if that is not known.'),
  },
  { title: 'ReplayedGuardrail', description: 'What the guardrail would do with calls whose contents are kept.' },
)
export type ReplayedGuardrail = Static<typeof ReplayedGuardrail>
