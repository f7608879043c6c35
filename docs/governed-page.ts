import {
  HARMLESS_HEADERS,
  HEADER_REASONS,
  RESERVED_NAMES,
  RESERVED_PREFIXES,
  RESERVED_WORDS,
} from '../src/contract/reserved-headers.ts'
import {
  BY_PROVIDER,
  FOR_EVERY_CHAT_PROVIDER,
  FOR_EVERY_PROVIDER,
  type GovernedField,
  type GovernedFields,
  INDIRECT_MODELS,
  REASONS,
} from '../src/providers/governed-fields.ts'
import { DESTINATIONS_BY_PROVIDER, MODEL_SETTINGS, SHARED_TOKENS } from '../src/providers/output-destinations.ts'
import { code, list, table } from './markdown.ts'

/** The text of docs/governed-fields.md. */
export function governedPage(): string {
  return [
    HEAD,
    '## Fields that are left out\n',
    FIELDS,
    table(
      ['provider', 'fields', 'why'],
      [
        ...rows('every provider', FOR_EVERY_PROVIDER),
        ...rows('every provider with chat models', FOR_EVERY_CHAT_PROVIDER),
        ...Object.entries(BY_PROVIDER).flatMap(([provider, fields]) => rows(`\`${provider}\``, fields)),
      ],
    ),
    CUSTOM,
    '## Models that a request names in other places\n',
    `${MODELS} ${Object.keys(INDIRECT_MODELS).map(code).join(', ')}.\n`,
    '## Headers\n',
    HEADERS,
    table(['why', 'names', 'all that begin with', 'words between hyphens'], headerRows()),
    `Allowed although their family is not: ${list([...HARMLESS_HEADERS])}.\n`,
    '## `provider_params`, and fields of images and recordings\n',
    destinations(),
  ].join('\n')
}

const HEAD = `# What a request may not choose

A key is checked for the model, the region and the endpoint that its request names, and the cost is made from that model's price. So nothing
else in the request may choose another model, host, account or address. Written by \`npm run docs\` from \`src/providers/governed-fields.ts\`,
\`src/providers/output-destinations.ts\` and \`src/contract/reserved-headers.ts\`.

## Spelling

Fields that Gatehouse does not know are passed on. There is one exception: a member at the top of a body, in \`extra_body\` or in a form whose
name differs from a field that Gatehouse reads, checks, bills or leaves out **in case only** (\`Model\`, \`STREAM\`, \`ſtream\` with a
long s, \`model[0]\`) is refused with 422, because providers with a case-insensitive parser would read it as that field. Names are
folded as Go's \`encoding/json\` folds them. Inside messages, tools, schemas and \`metadata\` every name is yours.

A key that stands twice in an object, at any depth, counts as its last value, for hooks and for the provider: such a body is written anew.
`

const FIELDS = `At the top of a body and in \`extra_body\`, on every endpoint. The answer's metadata (\`x-gatehouse-metadata: enabled\`) has a note for each.
\`unpriced\` fields are passed on, and the cost of the call is then \`null\`. A field that ends in \`*\` stands for all that begin like it.
`

const CUSTOM = `A custom provider may be sent some of them all the same: \`"allowFields": ["models"]\` in its entry of the config file.
`

const MODELS = `A tool that the provider runs with a model of its own (\`{"type": "image_generation", "model": …}\`) needs a key that may use that model
there; its cost is not in the bill, so the cost is \`null\`. A model name that does not say which model is asked (a preset, a router, an
ARN) is covered by a scope that names it exactly or all models of its provider, not by a pattern in between:`

const HEADERS = `\`extra_headers\` are added to the call of the provider, but for these (422). \`_\` counts as \`-\`. Of the headers of the request itself only
\`anthropic-version\` and \`anthropic-beta\` are passed on, and only to providers of that format.
`

function destinations(): string {
  const own = Object.entries(DESTINATIONS_BY_PROVIDER).map(([provider, names]) => `${code(provider)}: ${list(names)}`)
  return `Settings that name a place for results are refused with 422, at any depth and in any spelling: webhooks, callbacks, notification
topics, buckets, output locations, keys and roles of an account (${own.join('; ')} as well). So are tokens that make two requests one
(${list(SHARED_TOKENS)}). ${list([...MODEL_SETTINGS])} are left out of \`provider_params\`: the model string names the model.

A hook that runs a task (\`moderate\`, \`translate\`) needs what the task itself would need: the scope \`universal\`, and a model scope that covers
\`feature/subfeature/provider\`. Hooks that read inside the gateway (\`redact_pii\`, \`pdf_text_extract\`) run no task and need \`chat\` only.
`
}

/** One line for each reason. */
function rows(provider: string, fields: GovernedFields): string[][] {
  const byReason = Map.groupBy(Object.entries(fields), ([, rule]) => reasonOf(rule))
  return [...byReason].map(([reason, entries]) => [provider, list(entries.map(([name]) => name)), reason])
}

function reasonOf(rule: GovernedField): string {
  if (rule === 'unpriced') return 'unpriced'
  return typeof rule === 'string' ? REASONS[rule] : `${REASONS[rule.why]}; ${list(rule.keep)} stay`
}

function headerRows(): string[][] {
  return Object.entries(HEADER_REASONS).map(([reason, sentence]) => {
    const words = Object.keys(RESERVED_WORDS).filter((word) => RESERVED_WORDS[word] === reason)
    const [names = [], prefixes = []] = [RESERVED_NAMES, RESERVED_PREFIXES].map(
      (all) => all[reason as keyof typeof all],
    )
    return [sentence, list(names), list(prefixes), list(words)]
  })
}
