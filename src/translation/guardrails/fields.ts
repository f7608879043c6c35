import Type from '../../base/schema/type.ts'
import { optional } from '../../base/schema/fields.ts'
import { CODE_WORD, ENV_CREDENTIAL, PROVIDER_CREDENTIAL, SERVICE_ADDRESS } from '../../base/schema/patterns.ts'
import type { CheckedText } from './check.ts'

// Parameters that several checks have.

const MAX_ADDRESS_CHARS = 2_000

export const address = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_ADDRESS_CHARS, pattern: SERVICE_ADDRESS, description })

const SECRET = { minLength: 1, maxLength: 200, pattern: ENV_CREDENTIAL }

/** A secret that the service demands. */
export const credential = (what: string) =>
  Type.String({
    ...SECRET,
    description: `${what}, as \`env:NAME\`: the variable of the gateway's environment that has it.`,
  })

export const optionalCredential = (what: string) =>
  optional(Type.String(SECRET), `${what}, as \`env:NAME\`: the variable of the gateway's environment that has it.`)

/** The credential of a configured provider. */
export const providerCredential = (what: string, provider: string) =>
  optional(
    Type.String({ minLength: 1, maxLength: 100, pattern: PROVIDER_CREDENTIAL }),
    `${what}, as \`provider:<id>\`.`,
    { default: `provider:${provider}` },
  )

/** A code that a service or a model gives as a reason. It is shown and kept, so it is no sentence. */
export const reasonCode = Type.String({ pattern: CODE_WORD })

export const modelName = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

/** Whether these texts are of an answer, and not of a request. */
export function isAnswer(texts: readonly CheckedText[]): boolean {
  return texts.every(({ phase }) => phase === 'output' || phase === 'tool_arguments')
}

/** An address of the operator, which may end in a slash. */
export function under(base: string, path: string): string {
  let end = base.length
  while (base[end - 1] === '/') end--
  return base.slice(0, end) + path
}
