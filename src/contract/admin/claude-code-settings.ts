import { freeObject, mapOf, open, optional } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'

// What Claude Code reads as managed settings. It gets new settings every few weeks, so further members are passed on; those
// with which companies restrict it are checked, because Claude Code drops what it cannot read, and then nothing is restricted.

const names = (description: string) =>
  optional(Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: 500 }), description)
const flag = (description: string) => optional(Type.Boolean(), description)

const Permissions = Type.Object(
  {
    allow: names('What it does without asking, such as `Bash(npm test)`.'),
    ask: names('What it asks for each time.'),
    deny: names('What it never does, such as `Read(./.env)`.'),
    additionalDirectories: names('Folders beside that of the project.'),
    defaultMode: optional(Type.String({ minLength: 1, maxLength: 100 }), 'The mode in which it begins.'),
    disableBypassPermissionsMode: optional(
      Type.Literal('disable'),
      '`disable`: no person can turn the permissions off.',
    ),
  },
  { description: 'What it may do on the machine.', ...open },
)

export const ClaudeCodeSettings = Type.Object(
  {
    permissions: optional(Permissions, 'What it may do on the machine.'),
    env: optional(mapOf(Type.String({ maxLength: 10_000 })), 'Variables of its environment.'),
    model: optional(Type.String({ minLength: 1, maxLength: 300 }), 'The model with which it begins.'),
    availableModels: names(
      'The models that can be chosen. Filled by the gateway if the policy of the project names models.',
    ),
    deniedModels: names('The models that cannot be chosen.'),
    enforceAvailableModels: flag('Whether the default model has to be one of those.'),
    allowedMcpServers: optional(Type.Array(freeObject(), { maxItems: 500 }), 'The MCP servers that may be used.'),
    deniedMcpServers: optional(Type.Array(freeObject(), { maxItems: 500 }), 'The MCP servers that may not be used.'),
    allowManagedHooksOnly: flag('Whether only hooks of managed settings run.'),
    allowManagedPermissionRulesOnly: flag('Whether only permissions of managed settings hold.'),
    disableAllHooks: flag('Whether no hook runs.'),
    hooks: optional(freeObject(), 'Programs that it runs at certain moments.'),
    apiKeyHelper: optional(Type.String({ maxLength: 1_000 }), 'A program that prints a key.'),
    statusLine: optional(freeObject(), 'What it shows below the prompt.'),
    sandbox: optional(freeObject(), 'The sandbox in which it runs commands.'),
    cleanupPeriodDays: optional(Type.Integer({ minimum: 0, maximum: 36_500 }), 'How long it keeps transcripts.'),
    companyAnnouncements: names('What it shows at its start.'),
    enabledPlugins: optional(freeObject(), 'Plugins that are on or off.'),
    extraKnownMarketplaces: optional(freeObject(), 'Where plugins may come from.'),
    strictKnownMarketplaces: optional(
      Type.Array(freeObject(), { maxItems: 500 }),
      'Where alone plugins may come from.',
    ),
    outputStyle: optional(Type.String({ maxLength: 200 }), 'How it writes.'),
  },
  {
    title: 'ClaudeCodeSettings',
    description:
      'Managed settings of Claude Code, as in its `managed-settings.json`. Further members are passed on; one that is nearly a known name is refused.',
    ...open,
  },
)
export type ClaudeCodeSettings = Static<typeof ClaudeCodeSettings>

export const CLAUDE_CODE_SETTINGS =
  'Managed settings of Claude Code for people who sign in with it. They may name programs that run on the machines of these people, so ' +
  'only owners and admins of the organization change them. Null sets nothing.'
