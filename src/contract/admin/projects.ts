import { closed, nullable, optional, timestamp, words } from '../../base/schema/fields.ts'
import { SHORT_ID } from '../../base/schema/patterns.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { CLAUDE_CODE_SETTINGS, ClaudeCodeSettings } from './claude-code-settings.ts'
import { ContentSettings } from './content.ts'
import { Policy } from './policy.ts'
import { pageOf } from '../paging.ts'

const name = Type.String({ minLength: 1, maxLength: 200, description: 'A name for people.' })
/** Short enough for addresses and config files. Projects that come from the owner of a key may have other ids. */
const newId = Type.String({ pattern: SHORT_ID })
const ID =
  'Letters in lower case, digits, dots, dashes and underscores. Made from the name if absent. Only a role on the organization ' +
  '`default` and admin keys choose it.'
const organization = Type.String({ minLength: 1, maxLength: 200 })
const share = words(['project', 'key'])
const SHARE = 'Whose files, jobs and responses its keys use: those of the `project`, or each `key` its own.'
const region = words(['global', 'eu', 'us'])
const REGION = 'Where models must be served, for all of its keys. The region of each key if null.'

export const CreateProjectRequest = Type.Object(
  {
    name,
    id: optional(newId, ID),
    organization: optional(organization, 'The id of its organization. Your own if absent.'),
    share: optional(share, SHARE, { default: 'project' }),
    region: optional(region, REGION),
    policy: optional(Policy, 'What its keys may do, whatever requests ask for. Nothing is restricted if absent.'),
  },
  { title: 'CreateProjectRequest', description: 'A project to create.', ...closed },
)
export type CreateProjectRequest = Static<typeof CreateProjectRequest>

export const UpdateProjectRequest = Type.Object(
  {
    name: Type.Optional(name),
    organization: Type.Optional(Type.String({ ...organization, description: 'The id of another organization.' })),
    share: Type.Optional(words(['project', 'key'], { description: `${SHARE} Refused while something is stored.` })),
    region: optional(region, REGION),
    policy: optional(Policy, 'Replaces the whole policy. Null restricts nothing.'),
    content: optional(ContentSettings, 'What is kept of requests and answers. Null keeps nothing from now on.'),
    claude_code_settings: optional(ClaudeCodeSettings, CLAUDE_CODE_SETTINGS),
  },
  {
    title: 'UpdateProjectRequest',
    description: 'What to change. Members that are absent stay as they are.',
    ...closed,
  },
)
export type UpdateProjectRequest = Static<typeof UpdateProjectRequest>

export const ProjectBody = Type.Object(
  {
    id: Type.String({ description: 'Identifies the project, also in the config file: `project:<id>`.' }),
    name,
    organization: Type.Optional(
      Type.String({ description: 'The id of its organization. Absent while there is only one organization.' }),
    ),
    share: words(['project', 'key'], { description: SHARE }),
    region: nullable(region, REGION),
    policy: nullable(Policy, 'What its keys may do. Null restricts nothing.'),
    content: ContentSettings,
    claude_code_settings: nullable(ClaudeCodeSettings, CLAUDE_CODE_SETTINGS),
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Project', description: 'Keys that belong together.' },
)
export type ProjectBody = Static<typeof ProjectBody>

export const ProjectList = pageOf(ProjectBody, {
  title: 'ProjectList',
  description: 'Projects, page by page.',
  items: 'The projects, newest first.',
})
export type ProjectList = Static<typeof ProjectList>

export const CreateOrganizationRequest = Type.Object(
  { name, id: optional(newId, ID) },
  { title: 'CreateOrganizationRequest', description: 'An organization to create.', ...closed },
)
export type CreateOrganizationRequest = Static<typeof CreateOrganizationRequest>

export const UpdateOrganizationRequest = Type.Object(
  { name: Type.Optional(name), claude_code_settings: optional(ClaudeCodeSettings, CLAUDE_CODE_SETTINGS) },
  { title: 'UpdateOrganizationRequest', description: 'What to change.', ...closed },
)
export type UpdateOrganizationRequest = Static<typeof UpdateOrganizationRequest>

export const OrganizationBody = Type.Object(
  {
    id: Type.String({ description: 'Identifies the organization.' }),
    name,
    claude_code_settings: nullable(ClaudeCodeSettings, CLAUDE_CODE_SETTINGS),
    created_at: timestamp('When it was created.'),
  },
  { title: 'Organization', description: 'Projects that belong together.' },
)
export type OrganizationBody = Static<typeof OrganizationBody>

export const OrganizationList = pageOf(OrganizationBody, {
  title: 'OrganizationList',
  description: 'Organizations, page by page.',
  items: 'The organizations, newest first.',
})
export type OrganizationList = Static<typeof OrganizationList>

export const DeletedContent = Type.Object(
  {
    files: Type.Integer({ minimum: 0, description: 'Stored responses and result files.' }),
    jobs: Type.Integer({ minimum: 0, description: 'Jobs and conversations.' }),
    contents: Type.Integer({ minimum: 0, description: 'Contents of requests.' }),
    is_complete: Type.Boolean({
      description:
        'Whether nothing is left. Otherwise, send the request again: there is much content, or providers still have lines of batches.',
    }),
  },
  { title: 'DeletedContent', description: 'What was deleted.' },
)
export type DeletedContent = Static<typeof DeletedContent>
