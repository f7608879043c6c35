/** What real providers say about a person of the groups `ai-admins` and `team-research`. */
export const SHAPES: Record<string, { claims: Record<string, unknown>; shown: string }> = {
  entra: {
    // No email_verified; app roles instead of groups.
    claims: { email: 'ada@acme.example', name: 'Ada', oid: '1', tid: '2', roles: ['ai-admins', 'team-research'] },
    shown: 'Ada',
  },
  google: {
    // No groups at all: the default of the entry applies to people of the own domain.
    claims: { email: 'Bob@acme.example', email_verified: true, name: 'Bob', hd: 'acme.example' },
    shown: 'bob@acme.example',
  },
  okta: {
    claims: { email: 'eve@acme.example', email_verified: true, name: 'Eve', groups: ['Everyone', 'team-research'] },
    shown: 'eve@acme.example',
  },
  keycloak: {
    claims: {
      email: 'dan@acme.example',
      email_verified: true,
      name: 'Dan',
      realm_access: { roles: ['offline_access', 'ai-admins', 'team-Research'] },
    },
    shown: 'dan@acme.example',
  },
}
export const RULES = { 'ai-admins': 'admin', 'team-*': { role: 'member', project: '$1' } }
