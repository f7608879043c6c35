import { hash } from 'node:crypto'
import type { Content, OpenApiDocument, Operation, Parameter, Reference, Reply, Schema } from './openapi.ts'

export type ProblemRows = Readonly<Record<string, { status: number; type: string; sentence: string }>>

const API_PREFIX = '/v3'

/** The document as one page that needs nothing else: no script, no font, no other host. */
export function docsPage(document: OpenApiDocument, problems: ProblemRows): string {
  const { info, paths, webhooks = {}, components } = document
  const operations = [...listed(paths), ...listed(webhooks)]
  const areas = document.tags.map(({ name }) => ({
    name,
    id: `area-${name.toLowerCase().replaceAll(' ', '-')}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const streams = operations.some(({ operation }) => isStreamed(operation))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${info.summary}">
<title>${info.title} API</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<a class="skip" href="#start">Skip to the contents</a>
<header>
<a class="brand" href="#start">${info.title}</a> <span class="quiet">API ${info.version}</span>
${navigation(areas, streams)}
</header>
<main>
${start(document)}
${authentication(components.securitySchemes)}
${areas.map((area) => areaSection(area, document))}
${streams && streaming(document)}
${headersSection(components.headers)}
${errorsSection(problems)}
${schemasSection(document)}
</main>
<footer>
<p>This page is made from <a href="openapi.json">openapi.json</a>, and that from the routes that serve.</p>
</footer>
</body>
</html>
`.html
}

type Html = { html: string }
type Value = string | number | false | undefined | Html | readonly Value[]
type Listed = { method: string; path: string; operation: Operation }
type Area = { name: string; id: string; operations: Listed[] }

function listed(paths: OpenApiDocument['paths']): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function navigation(areas: Area[], streams: boolean): Html {
  const item = (id: string, name: string, below: Value = '') => html`<li><a href="#${id}">${name}</a>${below}</li>`
  const entry = ({ method, path, operation }: Listed) =>
    html`<li><a href="#${operation.operationId}"><code><b>${method}</b> ${path}</code></a></li>`
  return html`<nav aria-label="Contents"><ul>
${item('start', 'Start')}${item('authentication', 'Authentication')}
${areas.map(({ id, name, operations }) => item(id, name, html`<ul>${operations.map(entry)}</ul>`))}
${streams && item('streaming', 'Streaming')}${item('headers', 'Headers')}
${item('errors', 'Errors')}${item('schemas', 'Schemas')}
</ul></nav>`
}

function start({ info, servers, paths }: OpenApiDocument): Html {
  const base = (servers[0]?.url ?? '').replace(/\/$/, '')
  const chat = paths[`${API_PREFIX}/chat/completions`]?.post
  return html`<section id="start" aria-labelledby="start-title">
<h1 id="start-title">${info.title} API</h1>
<p class="lead">${info.summary}</p>
<p>${text(info.description)}</p>
<p>Base URL: <code class="base">${base}${API_PREFIX}</code></p>
${chat && samples(base, exampleOf(chat.requestBody?.content))}
</section>`
}

function samples(base: string, body: object): Html {
  const fields = Object.entries(body).map(([name, value]) => [name, onOneLine(value)])
  const javascript = fields.map(([name, value]) => `  ${name}: ${value},`).join('\n')
  const python = fields.map(([name, value]) => `    ${name}=${value},`).join('\n')
  return html`<h2>First call</h2>
<p>Put your key into the environment as <code>GATEHOUSE_API_KEY</code>. Each of these works as pasted:</p>
${code('With curl', curl(base, body))}
<div class="pair">
${code(
  'With the openai package in JavaScript',
  `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${base}${API_PREFIX}',
  apiKey: process.env.GATEHOUSE_API_KEY,
})
const reply = await client.chat.completions.create({
${javascript}
})
console.log(reply.choices[0].message.content)`,
)}
${code(
  'With the openai package in Python',
  `import os
from openai import OpenAI

client = OpenAI(
    base_url="${base}${API_PREFIX}",
    api_key=os.environ["GATEHOUSE_API_KEY"],
)
reply = client.chat.completions.create(
${python}
)
print(reply.choices[0].message.content)`,
)}
</div>`
}

function curl(base: string, body: object, flags = ''): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${JSON.stringify(name)}: ${onOneLine(value)}`)
  const json = `{\n${fields.join(',\n')}\n  }`.replaceAll("'", "'\\''")
  return `curl ${flags}${base}${API_PREFIX}/chat/completions \\
  -H "Authorization: Bearer $GATEHOUSE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`
}

/** JSON with a space after each comma and colon. A string in JSON holds no line break, so none is lost. */
function onOneLine(value: unknown): string {
  const lines = JSON.stringify(value, null, 1)
  return lines
    .replace(/([[{])\n\s*/g, '$1')
    .replace(/\n\s*([\]}])/g, '$1')
    .replace(/\n\s*/g, ' ')
}

function code(label: string, content: string): Html {
  const caption = label && html`<figcaption>${label}</figcaption>`
  return html`<figure>${caption}<pre tabindex="0"><code>${content}</code></pre></figure>`
}

function authentication(schemes: OpenApiDocument['components']['securitySchemes']): Html {
  return html`<section id="authentication" aria-labelledby="authentication-title">
<h2 id="authentication-title">Authentication</h2>
<p>Send your key with each request, in one of these headers. Endpoints that need no key say so.</p>
<ul>${Object.values(schemes).map(({ description }) => html`<li>${text(description)}</li>`)}</ul>
</section>`
}

function areaSection({ id, name, operations }: Area, document: OpenApiDocument): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${name}</h2>
${operations.map((one) => operationArticle(one, document))}
</section>`
}

function operationArticle({ method, path, operation }: Listed, document: OpenApiDocument): Html {
  const { operationId: id, summary, description, security, parameters = [], requestBody, responses } = operation
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${summary}</h3>
<p class="endpoint"><code><b class="${method.toLowerCase()}">${method}</b> ${path}</code>
${security?.length === 0 && html`<span class="quiet">needs no key</span>`}</p>
${description && html`<p>${text(description)}</p>`}
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(parameters, document)}`}
${requestBody && html`<h4>Body</h4>${bodyOf(requestBody.content, document)}`}
<h4>Replies</h4>
${replies(responses, document)}
</article>`
}

function bodyOf(content: Content, document: OpenApiDocument): Html[] {
  return Object.entries(content).map(([type, { schema, example }]) => {
    const { description = '' } = resolve(schema ?? {}, document)
    return html`<p><code>${type}</code>, ${typeCell(schema ?? {})}. ${text(description)}</p>
${example !== undefined && code('Example', JSON.stringify(example, null, 2))}
${schema && fieldTable(schema, document, [])}`
  })
}

function parameterTable(parameters: Parameter[], document: OpenApiDocument): Html {
  return table(
    ['Name', 'Type', 'Meaning'],
    parameters.map(({ name, in: place, required, description, schema }) =>
      fieldRows(
        name,
        { ...schema, description },
        required,
        document,
        [],
        html` <small class="limits">${place} parameter</small>`,
      ),
    ),
  )
}

/** In full what the endpoint says itself; by code what any endpoint may answer, which the error table explains. */
function replies(responses: Operation['responses'], document: OpenApiDocument): Html {
  const own = Object.entries(responses).filter(([, reply]) => !('$ref' in reply)) as [string, Reply][]
  const codes = Object.entries(responses).flatMap(([status, reply]) =>
    '$ref' in reply ? errorLinks(status, resolve(reply as Reply & Reference, document)) : [],
  )
  return html`${table(
    ['Status', 'Body', 'When'],
    own.map(([status, reply]) => replyRows(status, reply, document)),
  )}
${codes.length > 0 && html`<p>Also any of these errors: ${joined(codes, ', ')}.</p>`}`
}

function errorLinks(status: string, { content = {} }: Reply): Html[] {
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
  return codes.map((name) => html`${status} <a href="#error-${name}">${name}</a>`)
}

function replyRows(status: string, { description, content = {} }: Reply, document: OpenApiDocument): Html {
  const bodies = Object.entries(content)
  const types = bodies.map(
    ([type, { schema }]) => html`<div>${schema && typeCell(schema)} <small>${type}</small></div> `,
  )
  const folds = status.startsWith('2') ? bodies.flatMap(([, { schema }]) => nested(schema ?? {}, document, [], '')) : []
  const example = exampleOf(content)
  if (Object.keys(example).length > 0) folds.push(fold('Example', code('', JSON.stringify(example, null, 2))))
  return html`${row([html`<b>${status}</b>`, types, text(description)])}${folds.length > 0 && nestedRow(folds)}`
}

function fieldTable(schema: Schema, document: OpenApiDocument, trail: string[]): Html {
  const { properties = {}, required = [] } = resolve(schema, document)
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldRows(name, property, required.includes(name), document, trail),
  )
  return table(['Field', 'Type', 'Meaning'], rows)
}

function fieldRows(
  name: string,
  schema: Schema,
  required: boolean,
  document: OpenApiDocument,
  trail: string[],
  note: Value = '',
): Html {
  const description = schema.description ?? resolve(schema, document).description ?? ''
  const limits = limitsOf(schema)
  const inside = nested(schema, document, trail, name)
  return html`${row([
    html`<code>${name}</code>${required && html` <em>required</em>`}${note}`,
    html`${typeCell(schema)}${limits.length > 0 && html` <small class="limits">${limits.join(', ')}</small>`}`,
    text(description),
  ])}${inside.length > 0 && nestedRow(inside)}`
}

/** The objects inside a field, each folded; what contains itself is not opened again. */
function nested(schema: Schema, document: OpenApiDocument, trail: string[], name: string): Html[] {
  const { items, anyOf = [], $ref, additionalProperties } = schema
  if ($ref && trail.includes($ref)) return []
  const path = $ref ? [...trail, $ref] : trail
  const within = resolve(schema, document)
  if (within !== schema) return nested(within, document, path, titleOf($ref!))
  const parts = [...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') parts.push(additionalProperties)
  if (!schema.properties) return parts.flatMap((part) => nested(part, document, path, name))
  return [fold(`Fields of ${name || 'the body'}`, fieldTable(schema, document, path))]
}

function fold(label: string, content: Html): Html {
  return html`<details><summary>${label}</summary>${content}</details>`
}

function typeCell(schema: Schema): Html {
  return html`<code class="type">${typeOf(schema)}</code>`
}

/** What a value is, in the notation of TypeScript, which most readers of such pages know. */
function typeOf(schema: Schema): Html {
  const { $ref, type, items, anyOf, enum: words, additionalProperties: values } = schema
  if ($ref) return html`<a href="#schema-${titleOf($ref)}">${titleOf($ref)}</a>`
  if (anyOf) return joined(anyOf.map(typeOf), ' | ')
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  if (Array.isArray(words)) return html`${words.map((word) => JSON.stringify(word)).join(' | ')}`
  if (items) return items.anyOf ? html`(${typeOf(items)})[]` : html`${typeOf(items)}[]`
  if (typeof values === 'object') return html`{ [name]: ${typeOf(values)} }`
  return html`${type ?? 'any'}`
}

function limitsOf(schema: Schema): string[] {
  const { items, anyOf = [], pattern, format, default: usual, examples } = schema
  return [
    ...[...anyOf, ...(items ? [items] : [])].flatMap(limitsOf),
    ...bounds(schema.minimum, schema.maximum),
    ...bounds(schema.minLength, schema.maxLength, 'length '),
    ...bounds(schema.minItems, schema.maxItems, 'entries: '),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(format === undefined ? [] : [`${format}`]),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(Array.isArray(examples) ? [`such as ${examples.join(', ')}`] : []),
  ]
}

function bounds(least: unknown, most: unknown, what = ''): string[] {
  if (least !== undefined && most !== undefined) return [`${what}${least} to ${most}`]
  if (least !== undefined) return [`${what}at least ${least}`]
  return most === undefined ? [] : [`${what}at most ${most}`]
}

function streaming({ servers, paths }: OpenApiDocument): Html {
  const base = (servers[0]?.url ?? '').replace(/\/$/, '')
  const body = { ...exampleOf(paths[`${API_PREFIX}/chat/completions`]?.post?.requestBody?.content), stream: true }
  return html`<section id="streaming" aria-labelledby="streaming-title">
<h2 id="streaming-title">Streaming</h2>
<p>With ${text('`"stream": true`')} the answer comes as server-sent events while it is written.</p>
${code('With curl', curl(base, body, '-N '))}
<ul>${STREAMING_RULES.map((rule) => html`<li>${text(rule)}</li>`)}</ul>
${code(
  'On the wire, shortened',
  `data: {… "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}, …}]}

data: {… "choices": [{"index": 0, "delta": {"content": "lo!"}, …}]}

data: {… "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

data: [DONE]`,
)}
</section>`
}

const STREAMING_RULES = [
  'Each event is one `data:` line with a chunk as JSON; an empty line follows it.',
  'A chunk adds its `delta` to the answer with the same `index`.',
  '`finish_reason` is null until the chunk that ends an answer.',
  'With `"stream_options": {"include_usage": true}` one more chunk comes last, with `usage` and no choices.',
  '`data: [DONE]` ends a complete stream.',
  'What fails before the first event is answered as an ordinary error, with its status.',
  'What fails later is told by one `data: {"error": …}` event. No `[DONE]` follows: that answer is not complete.',
  'Lines that begin with a colon are comments that keep the line open. Pass over them.',
  'Hang up to stop: the gateway then stops the provider, too.',
]

function isStreamed({ responses }: Operation): boolean {
  return Object.values(responses).some((reply) => 'content' in reply && reply.content?.['text/event-stream'])
}

function headersSection(headers: OpenApiDocument['components']['headers']): Html {
  const rows = Object.entries(headers).map(([name, { description }]) =>
    row([html`<code>${name}</code>`, text(description)]),
  )
  return html`<section id="headers" aria-labelledby="headers-title">
<h2 id="headers-title">Headers of answers</h2>
${table(['Header', 'Meaning'], rows)}
</section>`
}

function errorsSection(problems: ProblemRows): Html {
  const rows = Object.entries(problems).map(([name, { status, type, sentence }]) =>
    row([html`<code id="error-${name}">${name}</code>`, html`<b>${status}</b> <small>${type}</small>`, sentence]),
  )
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>The body of every error is an <a href="#schema-ErrorBody">ErrorBody</a>: <code>error.code</code> is for programs,
<code>error.message</code> for people. The sentence below is the general one; the message often knows more.
What a provider itself refuses, such as a prompt that is too long, comes with the status and code of the provider.</p>
${table(['Code', 'Status and type', 'Message'], rows)}
</section>`
}

/** Here a type is a link to its own entry, not a fold. */
function schemasSection(document: OpenApiDocument): Html {
  const known = Object.keys(document.components.schemas).map((title) => `#/components/schemas/${title}`)
  return html`<section id="schemas" aria-labelledby="schemas-title">
<h2 id="schemas-title">Schemas</h2>
${Object.entries(document.components.schemas).map(
  ([title, schema]) => html`<article id="schema-${title}" aria-labelledby="schema-${title}-title">
<h3 id="schema-${title}-title">${title}</h3>
<p>${text(schema.description ?? '')} ${schema.additionalProperties === false && 'No other fields are allowed.'}</p>
${schema.properties && fold(`Fields of ${title}`, fieldTable(schema, document, known))}
${!schema.properties && html`<p>${typeCell(schema)}</p>`}
</article>`,
)}
</section>`
}

/** The roles keep it a table for screen readers where a narrow window makes blocks of its cells. */
function table(heads: string[], rows: Html[]): Html {
  return html`<table role="table"><thead role="rowgroup"><tr role="row">
${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows}</tbody></table>`
}

function row([head, ...cells]: Value[]): Html {
  const rest = cells.map((cell) => html`<td role="cell">${cell}</td>`)
  return html`<tr role="row"><th role="rowheader" scope="row">${head}</th>${rest}</tr>
`
}

function nestedRow(content: Value): Html {
  return html`<tr role="row" class="nested"><td role="cell" colspan="3">${content}</td></tr>
`
}

function exampleOf(content: Content = {}): object {
  const example = Object.values(content).find(({ example }) => example !== undefined)?.example
  return typeof example === 'object' && example !== null ? example : {}
}

function resolve<T extends { $ref?: string }>(given: T, { components }: OpenApiDocument): T {
  if (!given.$ref) return given
  const [, , section, name] = given.$ref.split('/')
  const place = components[section as 'schemas'] as Record<string, unknown> | undefined
  return (place?.[name ?? ''] ?? given) as T
}

function titleOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function joined(parts: Html[], separator: string): Html {
  return { html: parts.map(({ html }) => html).join(separator) }
}

/** Text in which `backticks` mark code. */
function text(content: string): Value {
  return content.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
}

/** Whatever is put into the template is escaped, unless this function made it. */
function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(written)) }
}

function written(value: Value): string {
  if (value === false || value === undefined) return ''
  if (typeof value === 'object') return 'html' in value ? value.html : value.map(written).join('')
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const STYLE = `
:root { color-scheme: light dark; --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --ink: #1c2128; --quiet: #59636e; --page: #fff; --panel: #f5f7f9; --line: #d6dce2;
  --accent: #0b5fb0; --get: #0f6b3a; --post: #0b5fb0; --delete: #a8201a; --must: #9a4a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee; --quiet: #a0abb7; --page: #10151b; --panel: #1a212a;
  --line: #333d49; --accent: #79b8ff; --get: #6fd08c; --post: #79b8ff; --delete: #ff9a94; --must: #f0b26b; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--page);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--page); z-index: 1; }
header { padding: 1rem; border-bottom: 1px solid var(--line); background: var(--panel); }
.brand { font-weight: 700; font-size: 1.15rem; color: inherit; text-decoration: none; }
.quiet, small, figcaption, thead th { color: var(--quiet); }
nav ul { list-style: none; margin: .5rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
nav ul ul { display: none; }
nav a { display: inline-block; padding: .2rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main, footer { padding: 1rem; max-width: 60rem; }
footer { color: var(--quiet); }
h1 { font-size: 2rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 3rem 0 .75rem; }
h3 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h2 + article h3 { margin-top: 1rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
#start h2 { font-size: 1.2rem; margin-top: 1.75rem; }
#schemas h3 { font-size: 1rem; margin: 1.5rem 0 0; }
#schemas p { margin: .15rem 0; }
.lead { font-size: 1.2rem; margin: 0 0 1rem; }
code { font: .875em/1.5 var(--mono); }
p code, li code, td code { background: var(--panel); border-radius: .25rem; padding: .1em .3em; }
figure { margin: .75rem 0; }
figcaption { font-size: .875rem; margin-bottom: .25rem; }
pre { margin: 0; font: .875rem/1.45 var(--mono); overflow-x: auto;
  padding: .85rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
pre code { font: inherit; overflow-wrap: normal; }
.endpoint code { padding: .35rem .6rem; border: 1px solid var(--line); border-radius: .5rem; display: inline-block; }
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; font-weight: 400;
  padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); }
thead th { font-size: .8125rem; border: 0; padding-bottom: .2rem; }
tbody th code { font-weight: 600; background: none; padding: 0; }
em { font-style: normal; font-size: .8125rem; color: var(--must); }
.limits { display: block; }
code.type { background: none; padding: 0; }
:target { scroll-margin-top: 1rem; }
tr:has(:target) { background: var(--panel); }
.nested > td { border: 0; padding-top: 0; }
summary { cursor: pointer; color: var(--accent); padding: .2rem 0; }
details > table, details > figure { margin: .25rem 0 .75rem; }
details > table { border-left: 3px solid var(--line);
  border-collapse: separate; border-spacing: 0; padding-left: .9rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  header { grid-row: 1 / 3; border: 0; border-right: 1px solid var(--line);
    position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; }
  main, footer { padding: 1.5rem 2.5rem; }
  nav ul, nav ul ul { display: block; }
  nav ul ul { margin: 0 0 .5rem; font-size: .875rem; }
  .pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem; }
  .pair pre { font-size: .78rem; }
  tbody th { width: 28%; } tbody th + td { width: 30%; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -100vw; }
  table, tbody, tr, td { display: block; }
  tbody tr { border-top: 1px solid var(--line); padding: .4rem 0; }
  tbody tr.nested { border: 0; padding: 0 0 .4rem; }
  tbody th, th + td { display: inline; padding: 0 .4rem 0 0; }
  th, td { border: 0; padding: 0; }
  .limits, th + td > div { display: inline; }
  pre { font-size: .8125rem; }
}
@media print { header { position: static; height: auto; } nav { display: none; } }
`

/** Nothing but the one style sheet above may take part in the page. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
