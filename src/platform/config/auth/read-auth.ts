import Type from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { checkSection } from '../section.ts'
import type { AuthSettings } from './auth.ts'
import { JwtEntry, readJwtIssuer } from './jwt-settings.ts'
import { OidcEntry, readOidcIssuer } from './oidc-settings.ts'

const MAX_ISSUERS = 50

const Settings = Type.Object(
  {
    oidc: Type.Optional(Type.Array(OidcEntry, { maxItems: MAX_ISSUERS })),
    jwt: Type.Optional(Type.Array(JwtEntry, { maxItems: MAX_ISSUERS })),
    ssoOnly: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

/** Reads `auth` of the config file. */
export function readAuth(value: unknown, environment: Environment): AuthSettings {
  if (value === undefined) return { oidc: [], jwt: [], ssoOnly: false }
  checkSection('auth', Settings, value)
  const {
    oidc = [],
    jwt = [],
    ssoOnly = false,
  } = value as {
    oidc?: OidcEntry[]
    jwt?: JwtEntry[]
    ssoOnly?: boolean
  }
  const read = {
    oidc: oidc.map((entry, index) => readOidcIssuer(entry, `auth.oidc.${index}`, environment)),
    jwt: jwt.map((entry, index) => readJwtIssuer(entry, `auth.jwt.${index}`)),
    ssoOnly,
  }
  refuseRepeated('auth.oidc', read.oidc)
  if (ssoOnly && oidc.length === 0) throw new ConfigError('auth.ssoOnly: needs a provider in auth.oidc')
  return read
}

/** A name stands in the address that the provider sends people back to, so it belongs to one provider. */
function refuseRepeated(path: string, issuers: readonly { name: string }[]): void {
  const names = issuers.map(({ name }) => name)
  const again = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (again >= 0) throw new ConfigError(`${path}.${again}.name: another entry has this name`)
}
