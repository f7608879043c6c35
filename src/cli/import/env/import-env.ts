import { addressVariable } from '../../../platform/config/provider-settings.ts'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { Draft } from '../draft.ts'
import { approximate, exact, type Finding, unsupported } from '../finding.ts'
import { OTHER_VARIABLES } from '../litellm/provider-names.ts'

/** Variables that other programs use for the same thing. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(OTHER_VARIABLES).map(([provider, variable]) => [variable, provider])),
  AZURE_OPENAI_API_KEY: 'azure',
  CLAUDE_API_KEY: 'anthropic',
  CO_API_KEY: 'cohere',
  GOOGLE_API_KEY: 'google',
  GOOGLE_GENERATIVE_AI_API_KEY: 'google',
  GROK_API_KEY: 'xai',
  HUGGINGFACEHUB_API_TOKEN: 'huggingface',
  HUGGING_FACE_HUB_TOKEN: 'huggingface',
  TOGETHER_AI_API_KEY: 'together',
}

type EnvImport = { draft: Draft; findings: Finding[]; providers: string[] }

/** Which providers can be used with the variables of any project's .env file. Values are never shown, and stay in that file. */
export function importEnv(variables: Readonly<Record<string, string | undefined>>): EnvImport {
  const draft = new Draft()
  const providers = new Set<string>()
  const knownByName = knownVariables()
  const findings = Object.keys(variables).map((path): Finding => {
    const direct = knownByName.get(path)
    const other = OTHER_NAMES[path]
    if (!variables[path]) return { path, ...unsupported('is empty') }
    if (direct) {
      if (direct.isCredential) for (const id of direct.ids) providers.add(id)
      return { path, ...exact(`${direct.ids.join(', ')}: used as it is, with --env-file`) }
    }
    if (!other) return { path, ...unsupported(`belongs to no known provider${meantBy(path, knownByName)}`) }
    providers.add(other)
    draft.addCredential(other, PROVIDERS[other]!.auth.env!)
    draft.addCredential(other, path)
    return {
      path,
      ...approximate(`${other}: listed in \`credentials\`, because its variable is ${PROVIDERS[other]!.auth.env} here`),
    }
  })
  return { draft, findings, providers: [...providers].sort() }
}

/** `OPENROUTER_KEY` may be meant as `OPENROUTER_API_KEY`. That is a guess, so the report only mentions it. */
function meantBy(path: string, knownByName: ReadonlyMap<string, KnownVariable>): string {
  const usual = path.replace(/_?(?:API)?_?(?:KEY|TOKEN)$/, '_API_KEY')
  return knownByName.get(usual)?.isCredential ? `: did you mean ${usual}?` : ''
}

type KnownVariable = { ids: string[]; isCredential: boolean }

/** The variables of credentials, addresses and parts of addresses, with the providers that read them. */
function knownVariables(): Map<string, KnownVariable> {
  const variables = new Map<string, KnownVariable>()
  for (const [id, row] of Object.entries(PROVIDERS)) {
    add(row.auth.env, id, true)
    add(addressVariable(row), id, false)
    for (const name of Object.keys(row.params ?? {})) add(name, id, false)
  }
  for (const name of ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) add(name, 'amazon', false)
  return variables

  function add(variable: string | undefined, id: string, isCredential: boolean): void {
    if (variable === undefined) return
    const { ids } = variables.get(variable) ?? { ids: [] }
    variables.set(variable, {
      ids: [...ids, id],
      isCredential: isCredential || variables.get(variable)?.isCredential === true,
    })
  }
}
