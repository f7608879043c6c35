import { existsSync } from 'node:fs'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { approximate, exact, manual, secretMoved, unsupported } from '../finding.ts'
import { type Deployment, pathOf } from './deployments.ts'
import type { DraftProvider } from '../draft.ts'
import type { ImportContext } from './import-context.ts'
import { OTHER_VARIABLES } from './provider-names.ts'
import { resolved, textOf } from './values.ts'

/** The credential of a deployment. Each is called like its variable, and the target is bound to it. */
export function addCredential(deployment: Deployment, context: ImportContext): void {
  const { provider, params } = deployment
  const scheme = PROVIDERS[provider]?.auth.scheme
  if (scheme === 'aws' && params.aws_access_key_id != null) return addAwsKeys(deployment, context)
  const ofGoogle = ['vertex_credentials', 'vertex_ai_credentials'].find((one) => params[one] != null)
  const member = scheme === 'google' && ofGoogle ? ofGoogle : 'api_key'
  if (params[member] == null) return
  const variable = variableFor(deployment, member, context)
  if (variable !== undefined) bind(deployment, variable, context)
}

/** The variable of the source, or a new one for a secret that was written into the source. */
function variableFor(deployment: Deployment, member: string, { draft }: ImportContext) {
  const { provider, params } = deployment
  const text = textOf(
    member !== 'api_key' && typeof params[member] === 'object' ? JSON.stringify(params[member]) : params[member],
  )
  if (!text) {
    draft.judge(pathOf(deployment, member), params[member] === '' ? approximate('is empty') : unsupported('is no text'))
    return undefined
  }
  if ('variable' in text) return text.variable
  if (member !== 'api_key' && !text.text.trimStart().startsWith('{'))
    return fileFor(deployment, member, text.text, draft)
  const variable = draft.moveSecret(text.text, `IMPORTED_${provider.toUpperCase().replaceAll('-', '_')}_KEY`)
  draft.judge(pathOf(deployment, member), secretMoved(`${variable} is a credential of ${provider}`))
  return variable
}

/** Vertex AI may have the path of a file. The config file may only name one that exists. */
function fileFor(
  deployment: Deployment,
  member: string,
  path: string,
  draft: ImportContext['draft'],
): string | undefined {
  if (!existsSync(path)) {
    draft.judge(pathOf(deployment, member), manual('the file is not here: list it in `credentials.vertex`'))
    return undefined
  }
  draft.addCredential('vertex', path, { file: path })
  return path
}

/** Where Azure reads keys from a header of its own; at its other addresses they are bearer tokens. */
const AZURE_HOST = /\.(?:services\.ai|openai|cognitiveservices)\.azure\.com$/

/** The headers of keys in formats that have one of their own. */
const HEADERS: Readonly<Record<string, string>> = { anthropic: 'x-api-key', gemini: 'x-goog-api-key' }

function schemeOf({ dialect, baseUrl }: DraftProvider): { scheme: 'bearer' } | { scheme: 'header'; header: string } {
  const header = HEADERS[dialect] ?? (AZURE_HOST.test(new URL(baseUrl).hostname) ? 'api-key' : undefined)
  return header ? { scheme: 'header', header } : { scheme: 'bearer' }
}

function bind({ provider, target }: Deployment, variable: string, { draft }: ImportContext): void {
  const custom = draft.providers.get(provider)
  if (custom?.auth.scheme === 'none') custom.auth = { ...schemeOf(custom), env: variable, optional: true }
  if (!draft.credentials.get(provider)?.has(variable)) draft.addCredential(provider, variable)
  target.credential = variable
}

/**
 * Deployments without a key have the usual variable of their provider, which a list of credentials would replace. LiteLLM's
 * variable may have another name than ours.
 */
export function addUsualCredentials(deployments: readonly Deployment[], { draft }: ImportContext): void {
  for (const { provider, target } of deployments) {
    const own = PROVIDERS[provider]?.auth.env
    if (target.credential !== undefined || own === undefined) continue
    const usual = OTHER_VARIABLES[provider] ?? own
    const isListed = deployments.some((one) => one.provider === provider && one.target.credential !== undefined)
    if (isListed) target.credential = usual
    if (isListed || usual !== own) draft.addCredential(provider, usual)
    if (!isListed && usual !== own) draft.addCredential(provider, own)
  }
}

/** A list with nothing but the usual variable says nothing, and neither does a binding to the only credential. */
export function dropNeedlessLists(deployments: readonly Deployment[], { draft }: ImportContext): void {
  for (const [provider, list] of draft.credentials) {
    const [only, ...others] = list.keys()
    const usual = draft.providers.get(provider)?.auth.env ?? PROVIDERS[provider]?.auth.env
    if (others.length > 0) continue
    for (const { target } of deployments.filter((one) => one.provider === provider)) delete target.credential
    if (only === usual) draft.credentials.delete(provider)
  }
}

const AWS_MEMBERS = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'] as const

/** A credential of Amazon is one text with all parts, so the parts have to be known now. */
function addAwsKeys(deployment: Deployment, context: ImportContext): void {
  const { params } = deployment
  const { draft, environment } = context
  if (AWS_MEMBERS.every((member) => params[member] == null || isUsual(params[member], member))) {
    for (const member of AWS_MEMBERS) draft.judge(pathOf(deployment, member), exact('the usual variable'))
    return
  }
  const parts = AWS_MEMBERS.flatMap((member) => (params[member] == null ? [] : [resolved(params[member], environment)]))
  const isComplete = parts.length >= 2 && parts.every((part) => part !== undefined && !part.includes(':'))
  const variable = isComplete ? draft.moveSecret(parts.join(':'), 'IMPORTED_AMAZON_KEYS') : undefined
  const verdict = variable
    ? secretMoved(`${variable} is a credential of amazon`)
    : manual('set a variable to ACCESS_KEY_ID:SECRET_ACCESS_KEY and list it in `credentials.amazon`')
  for (const member of AWS_MEMBERS) draft.judge(pathOf(deployment, member), verdict)
  if (variable) bind(deployment, variable, context)
}

function isUsual(value: unknown, member: string): boolean {
  const text = textOf(value)
  return text !== undefined && 'variable' in text && text.variable === member.toUpperCase()
}
