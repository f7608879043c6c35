import { KEY_COLUMNS } from './database-keys.ts'
import * as notes from './database-notes.ts'
import type { Row } from './row.ts'

/** Columns of budgets and limits, which several tables have. */
const LIMITS: readonly Row[] = [
  ['max_budget', 'exact', notes.BUDGET],
  ['max_parallel_requests', 'exact', notes.PARALLEL],
  ['tpm_limit', 'exact', notes.TPM],
  ['rpm_limit', 'exact', notes.RPM],
  ['budget_duration', 'exact', notes.DURATION],
  ['budget_reset_at', 'exact', notes.RESET],
  ['model_max_budget', 'exact', notes.MODEL_BUDGETS],
]

const TEAM: readonly Row[] = [
  ['team_id', 'exact', 'the id of the project ends with a hash of it'],
  ['team_alias', 'exact', 'is the name of the project; a second one of the same name gets a number'],
  ['organization_id', 'exact', 'is the organization of the project'],
  ['object_permission_id', 'manual', notes.PERMISSIONS],
  ['admins', 'exact', 'are managers of the project, where `members_with_roles` is empty'],
  ['members', 'exact', 'are members of the project, where `members_with_roles` is empty'],
  ['members_with_roles', 'exact', 'admins are managers of the project, users are members'],
  ['metadata', 'manual', `${notes.METADATA}; the budget for each member is taken over`],
  ...LIMITS,
  ['tpd_limit', 'exact', notes.TPD],
  ['soft_budget', 'approximate', notes.SOFT],
  ['spend', 'exact', notes.SPEND],
  ['models', 'exact', 'are the models that the policy of the project allows'],
  ['blocked', 'exact', 'the team is left out, and its keys are revoked'],
  ...notes.CREATED,
  ['model_spend', 'approximate', notes.MODEL_SPEND],
  ['router_settings', 'unsupported', notes.ROUTER],
  ['team_member_permissions', 'manual', 'what members may do is fixed by their roles (docs/roles.md)'],
  ['access_group_ids', 'manual', notes.ACCESS_GROUPS],
  ['policies', 'manual', notes.POLICIES],
  ['default_team_member_models', 'manual', 'keys are restricted with scopes, one by one'],
  ['budget_limits', 'exact', notes.FURTHER_BUDGETS],
  ['model_id', 'manual', 'names of models of a single team: make aliases for everybody'],
  ['allow_team_guardrail_config', 'unsupported', 'managers change the policy of their project'],
]

const USER: readonly Row[] = [
  ['user_id', 'exact', 'the id of the user is a hash of it'],
  ['user_alias', 'exact', 'is the name of the user'],
  ['user_email', 'exact', 'is the e-mail address; without one, it is a service account'],
  [
    'user_role',
    'exact',
    '`proxy_admin` is an admin, `proxy_admin_viewer` an auditor, `internal_user` a member of `personal`',
  ],
  ['password', 'manual', 'is never taken over: sign in with SSO, or use `gatehouse users reset-password`'],
  ['password_reset_required', 'approximate', 'no password is taken over'],
  ['last_breach_check_at', 'approximate', 'no password is taken over'],
  ['sso_user_id', 'manual', 'is linked at the first sign-in with SSO, by the verified e-mail address'],
  ['teams', 'exact', 'the teams say who their members are'],
  ['team_id', 'exact', 'the teams say who their members are'],
  ['organization_id', 'approximate', 'the organization of the teams'],
  ['object_permission_id', 'manual', notes.PERMISSIONS],
  ...LIMITS,
  [
    'max_budget',
    'manual',
    `${notes.BUDGET}. It holds for all keys of the user, in LiteLLM only for keys without a team`,
  ],
  ['spend', 'exact', notes.SPEND],
  ['models', 'exact', 'are scopes of the keys of the user'],
  ['metadata', 'manual', notes.METADATA],
  ['allowed_cache_controls', 'unsupported', notes.CACHE_CONTROLS],
  ['policies', 'manual', notes.POLICIES],
  ['model_spend', 'approximate', notes.MODEL_SPEND],
  ...notes.CREATED.filter(([column]) => column.endsWith('_at')),
]

const ORGANIZATION: readonly Row[] = [
  ['organization_id', 'exact', 'the id of the organization ends with a hash of it'],
  ['organization_alias', 'exact', 'is the name of the organization'],
  ['budget_id', 'exact', notes.SHARED_BUDGET],
  ['metadata', 'manual', notes.METADATA],
  ['models', 'exact', 'the projects of its teams allow no others'],
  ['spend', 'exact', notes.SPEND],
  ['model_spend', 'approximate', notes.MODEL_SPEND],
  ['object_permission_id', 'manual', notes.PERMISSIONS],
  ...notes.CREATED,
]

const BUDGET: readonly Row[] = [
  ['budget_id', 'exact', 'keys, organizations, end users and members name it'],
  ...LIMITS,
  ['tpd_limit', 'exact', notes.TPD],
  ['soft_budget', 'approximate', notes.SOFT],
  ['allowed_models', 'manual', 'models of a single member of a team: use scopes of the keys'],
  ['temp_budget_increase', 'exact', 'is a temporary increase'],
  ['temp_budget_expiry', 'exact', 'is the end of the increase'],
  ...notes.CREATED,
]

const END_USER: readonly Row[] = [
  ['user_id', 'exact', 'is what callers send as `user`'],
  ['alias', 'approximate', 'end users have no names here'],
  ['spend', 'exact', notes.SPEND],
  ['allowed_model_region', 'manual', 'regions are set on keys and projects'],
  ['default_model', 'unsupported', 'the caller names the model'],
  ['models', 'manual', 'models are set on keys and projects'],
  ['budget_id', 'exact', notes.SHARED_BUDGET],
  ['object_permission_id', 'manual', notes.PERMISSIONS],
  ['blocked', 'approximate', 'is a budget of 0: only models that cost nothing answer'],
]

const TEAM_MEMBER: readonly Row[] = [
  ['user_id', 'exact', 'the teams say who their members are'],
  ['team_id', 'exact', 'the teams say who their members are'],
  ['spend', 'exact', 'is what the member has spent of the budget for each member of the team'],
  ['total_spend', 'approximate', 'what was spent before is in no report here'],
  ['budget_id', 'manual', 'a budget of a single member is not taken over, only the one for each member of the team'],
]

const ORGANIZATION_MEMBER: readonly Row[] = [
  ['user_id', 'exact', 'who it is'],
  ['organization_id', 'exact', 'where'],
  ['user_role', 'approximate', '`org_admin` is a manager of all projects of the organization; others have their teams'],
  ['spend', 'approximate', 'budgets of a single member of an organization are not taken over'],
  ['budget_id', 'manual', 'budgets of a single member of an organization are not taken over'],
  ...notes.CREATED.filter(([column]) => column.endsWith('_at')),
]

/** The tables of the database that are read, with all their columns. */
export const TABLES: Readonly<Record<string, readonly Row[]>> = {
  LiteLLM_VerificationToken: KEY_COLUMNS,
  LiteLLM_TeamTable: TEAM,
  LiteLLM_OrganizationTable: ORGANIZATION,
  LiteLLM_UserTable: withoutRepeated(USER),
  LiteLLM_TeamMembership: TEAM_MEMBER,
  LiteLLM_OrganizationMembership: ORGANIZATION_MEMBER,
  LiteLLM_EndUserTable: END_USER,
  LiteLLM_BudgetTable: BUDGET,
}

/** A later row about a column replaces an earlier one. */
function withoutRepeated(rows: readonly Row[]): readonly Row[] {
  return [...new Map(rows.map((row) => [row[0], row])).values()]
}

/** Tables that are only counted. */
export const OTHER_TABLES: readonly Row[] = [
  [
    'LiteLLM_ProjectTable',
    'manual',
    'projects inside of teams: their keys are in the project of the team, without their limits',
  ],
  ['LiteLLM_TagTable', 'manual', 'budgets of tags: make budgets with `tags`'],
  [
    'LiteLLM_ProxyModelTable',
    'manual',
    'models in the database are encrypted: put them into config.yaml, or make aliases',
  ],
  ['LiteLLM_CredentialsTable', 'manual', 'credentials in the database are encrypted: use POST /admin/credentials'],
  ['LiteLLM_Config', 'manual', 'settings in the database: put them into config.yaml'],
  ['LiteLLM_DeletedTeamTable', 'exact', 'what was deleted is left out'],
  ['LiteLLM_DeletedVerificationToken', 'exact', 'what was deleted is left out'],
  ['LiteLLM_InvitationLink', 'manual', 'open invitations: invite again'],
  ['LiteLLM_ModelTable', 'manual', 'names of models of single teams: make aliases for everybody'],
  ['LiteLLM_ObjectPermissionTable', 'manual', notes.PERMISSIONS],
  ['LiteLLM_AccessGroupTable', 'manual', notes.ACCESS_GROUPS],
  ['LiteLLM_AgentsTable', 'unsupported', 'there are no agents'],
  ['LiteLLM_MCPServerTable', 'unsupported', 'add the servers with POST /admin/mcp/servers (docs/tools.md)'],
  ['LiteLLM_GuardrailsTable', 'manual', notes.POLICIES],
  ['LiteLLM_SpendLogs', 'approximate', 'the ledger begins with the import'],
]
