import { words } from '../../base/schema/fields.ts'

/** What a member may do is in src/tenants/people/roles.ts. */
export const ROLES = ['owner', 'admin', 'manager', 'member', 'auditor', 'billing'] as const
export type Role = (typeof ROLES)[number]

export const RoleName = (description: string) => words([...ROLES], { description })

/** The roles with which a person may have keys and call models. Others look, and pay. */
export const CALLING_ROLES = ['owner', 'admin', 'manager', 'member'] as const satisfies readonly Role[]
