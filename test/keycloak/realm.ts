export const REALM = 'acme'
export const CLIENT_SECRET = 'secret-of-the-client'
export const PASSWORD = 'password-of-ada'

const intoTokens = { 'id.token.claim': 'true', 'access.token.claim': 'true', 'userinfo.token.claim': 'true' }

/** A realm as an operator sets it up: a client, a group that becomes a role, and a person in it. */
export function realmFor(gatewayUrl: string) {
  return {
    realm: REALM,
    enabled: true,
    groups: [{ name: 'ai-admins' }, { name: 'team-research' }],
    users: [
      {
        username: 'ada',
        email: 'ada@acme.example',
        emailVerified: true,
        firstName: 'Ada',
        lastName: 'Lovelace',
        enabled: true,
        credentials: [{ type: 'password', value: PASSWORD }],
        groups: ['/ai-admins', '/team-research'],
      },
    ],
    clients: [
      {
        clientId: 'gatehouse',
        secret: CLIENT_SECRET,
        redirectUris: [`${gatewayUrl}/sign-in/oidc/keycloak/callback`],
        directAccessGrantsEnabled: true,
        attributes: {
          'backchannel.logout.url': `${gatewayUrl}/sign-in/oidc/keycloak/logout`,
          'backchannel.logout.session.required': 'true',
          'pkce.code.challenge.method': 'S256',
        },
        protocolMappers: [
          {
            name: 'groups',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-group-membership-mapper',
            config: { 'claim.name': 'groups', 'full.path': 'false', ...intoTokens },
          },
          {
            name: 'audience',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-audience-mapper',
            config: { 'included.custom.audience': 'gatehouse-api', 'access.token.claim': 'true' },
          },
        ],
      },
    ],
  }
}
