import type { NewProject } from '../../../../platform/store/projects/projects.ts'
import type { Fields } from '../../../../base/schema/record.ts'
import { intersection, type ModelNames, modelList } from './model-scopes.ts'
import { namedId } from './source-ids.ts'
import { firstText } from './values.ts'

const MAX_NAME_CHARS = 200
export const MAX_POLICY_MODELS = 500
/** Sessions of LiteLLM's console. */
export const CONSOLE_TEAM = 'litellm-dashboard'
const DEFAULT = 'default'

export type ImportedOrganization = { id: string; name: string }

/** What exists here already: an import again finds what it has made. */
export type ExistingIds = { projects: readonly string[]; organizations: readonly string[] }

/** By the id that the organization has in LiteLLM. */
export function organizationsOf(rows: readonly Fields[], existing: ExistingIds): Map<string, ImportedOrganization> {
  const unique = uniqueNames()
  return new Map(
    rows.map((row) => {
      const id = String(row.organization_id)
      const name = firstText(row, 'organization_alias') ?? id
      return [id, { id: namedId('organization', { id, name }, existing.organizations), name: unique(name) }]
    }),
  )
}

type TeamContext = ModelNames & {
  organizations: ReadonlyMap<string, ImportedOrganization>
  /** The rows of LiteLLM's organizations, by id. */
  organizationRows: ReadonlyMap<string, Fields>
  known: ExistingIds
}

/** A project for each team that is not blocked, by the id of the team. */
export function projectsOf(teams: readonly Fields[], context: TeamContext): Map<string, NewProject> {
  const unique = uniqueNames()
  return new Map(openTeams(teams).map((team) => [String(team.team_id), projectOf(team, context, unique)]))
}

function openTeams(teams: readonly Fields[]): Fields[] {
  return teams.filter(({ team_id: id, blocked }) => blocked !== true && id !== CONSOLE_TEAM)
}

function projectOf(team: Fields, context: TeamContext, unique: (name: string) => string): NewProject {
  const id = String(team.team_id)
  const name = firstText(team, 'team_alias') ?? id
  const models = modelsOf(team, context)
  return {
    id: namedId('team', { id, name }, context.known.projects),
    name: unique(name),
    organization: context.organizations.get(String(team.organization_id))?.id ?? DEFAULT,
    share: 'project',
    region: null,
    policy: models ? { models: [...models] } : null,
  }
}

/** If the team and its organization agree on nothing, a name that no model has allows nothing. */
function modelsOf(team: Fields, context: TeamContext): readonly string[] | undefined {
  const models = allowedBy(team, context)
  if (models && models.length > MAX_POLICY_MODELS) return undefined
  return models?.length === 0 ? ['no-default-models'] : models
}

/** What the team and its organization both allow. */
function allowedBy(team: Fields, context: TeamContext): readonly string[] | undefined {
  const organization = context.organizationRows.get(String(team.organization_id))
  return intersection([modelList(team.models, context), modelList(organization?.models, context)])
}

/** How many projects allow all models, because their teams name more than a policy may have. Scopes restrict the keys of these. */
export function countUnrestricted(teams: readonly Fields[], context: TeamContext): number {
  return openTeams(teams).filter((team) => (allowedBy(team, context)?.length ?? 0) > MAX_POLICY_MODELS).length
}

/** People tell projects apart by their names. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>()
  return (name) => {
    const plain = name.slice(0, MAX_NAME_CHARS - 10)
    let found = plain
    for (let number = 2; taken.has(found); number++) found = `${plain} (${number})`
    taken.add(found)
    return found
  }
}
