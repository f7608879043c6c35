import { createHash } from 'node:crypto'
import pg from 'pg'

// The tables of LiteLLM 1.108 that the import reads, with all their columns. Rows of other versions have more or fewer.

type Columns = Partial<Record<keyof typeof TYPES, string>>

const TYPES = {
  key: 'TEXT PRIMARY KEY',
  texts: 'TEXT',
  numbers: 'DOUBLE PRECISION',
  flags: 'BOOLEAN',
  times: 'TIMESTAMP(3)',
  json: "JSONB DEFAULT '{}'",
  lists: "TEXT[] DEFAULT '{}'",
} as const

export const SOURCE_TABLES: Readonly<Record<string, Columns>> = {
  LiteLLM_VerificationToken: {
    key: 'token',
    texts:
      'key_name key_alias user_id team_id agent_id project_id budget_duration key_type budget_id organization_id object_permission_id created_by updated_by rotation_interval',
    numbers: 'spend total_spend max_parallel_requests tpm_limit rpm_limit tpd_limit max_budget rotation_count',
    flags: 'soft_budget_cooldown blocked auto_rotate',
    times:
      'expires budget_reset_at created_at updated_at settings_updated_at last_active last_rotation_at key_rotation_at',
    json: 'aliases config router_settings permissions metadata model_spend model_max_budget budget_fallbacks budget_limits',
    lists: 'models allowed_cache_controls allowed_routes policies access_group_ids',
  },
  LiteLLM_TeamTable: {
    key: 'team_id',
    texts: 'team_alias organization_id object_permission_id budget_duration',
    numbers: 'max_budget soft_budget spend max_parallel_requests tpm_limit rpm_limit tpd_limit model_id',
    flags: 'blocked allow_team_guardrail_config',
    times: 'budget_reset_at created_at updated_at',
    json: 'members_with_roles metadata model_spend model_max_budget router_settings budget_limits',
    lists: 'admins members models team_member_permissions access_group_ids policies default_team_member_models',
  },
  LiteLLM_OrganizationTable: {
    key: 'organization_id',
    texts: 'organization_alias budget_id object_permission_id created_by updated_by',
    numbers: 'spend',
    times: 'created_at updated_at',
    json: 'metadata model_spend',
    lists: 'models',
  },
  LiteLLM_UserTable: {
    key: 'user_id',
    texts:
      'user_alias team_id sso_user_id organization_id object_permission_id password user_role user_email budget_duration',
    numbers: 'max_budget spend max_parallel_requests tpm_limit rpm_limit',
    flags: 'password_reset_required',
    times: 'last_breach_check_at budget_reset_at created_at updated_at',
    json: 'metadata model_spend model_max_budget',
    lists: 'teams models allowed_cache_controls policies',
  },
  LiteLLM_TeamMembership: {
    texts: 'user_id team_id budget_id',
    numbers: 'spend total_spend',
  },
  LiteLLM_OrganizationMembership: {
    texts: 'user_id organization_id user_role budget_id',
    numbers: 'spend',
    times: 'created_at updated_at',
  },
  LiteLLM_EndUserTable: {
    key: 'user_id',
    texts: 'alias allowed_model_region default_model budget_id object_permission_id',
    numbers: 'spend',
    flags: 'blocked',
    lists: 'models',
  },
  LiteLLM_BudgetTable: {
    key: 'budget_id',
    texts: 'budget_duration created_by updated_by',
    numbers: 'max_budget soft_budget max_parallel_requests tpm_limit rpm_limit tpd_limit temp_budget_increase',
    times: 'budget_reset_at temp_budget_expiry created_at updated_at',
    json: 'model_max_budget',
    lists: 'allowed_models',
  },
  LiteLLM_ProxyModelTable: { key: 'model_id', json: 'litellm_params' },
}

function tableSql(name: string, columns: Columns): string {
  const parts = Object.entries(columns).flatMap(([kind, names]) =>
    names.split(' ').map((column) => `${column} ${TYPES[kind as keyof typeof TYPES]}`),
  )
  return `CREATE TABLE "${name}" (${parts.join(', ')})`
}

type Row = Record<string, unknown>

/** Makes an empty database one of LiteLLM. The row of a key gets the digest that LiteLLM stores. */
export async function createSource(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const [name, columns] of Object.entries(SOURCE_TABLES)) await client.query(tableSql(name, columns))
  return { url, insert, addKey, query: (sql: string) => client.query(sql), close: () => client.end() }

  async function insert(table: string, row: Row): Promise<void> {
    const names = Object.keys(row)
    const places = names.map((_, index) => `$${index + 1}`)
    await client.query(`INSERT INTO "${table}" (${names}) VALUES (${places})`, Object.values(row))
  }

  async function addKey(key: string, row: Row = {}): Promise<void> {
    const token = createHash('sha256').update(key).digest('hex')
    await insert('LiteLLM_VerificationToken', { token, key_name: `sk-...${key.slice(-4)}`, ...row })
  }
}
