import type { AuthSettings } from '../../config/auth/auth.ts'
import type { Database } from '../../store/database.ts'
import { hasSsoOwner } from '../../store/sign-in/sso-sessions.ts'

/**
 * Whether passwords are refused. `auth.ssoOnly` alone is not enough: as long as no owner has signed in with one of the
 * providers of the config file, passwords keep working, so that a mistake in the config file locks nobody out.
 */
export async function isSsoOnly({ ssoOnly, oidc }: AuthSettings, db: Database): Promise<boolean> {
  return (
    ssoOnly &&
    (await hasSsoOwner(
      db,
      oidc.map(({ issuer }) => issuer),
    ))
  )
}
