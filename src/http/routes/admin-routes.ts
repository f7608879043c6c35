import type { Route } from '../route.ts'
import { agentSessionRoutes } from './admin/agent-sessions.ts'
import { alertRoutes } from './admin/alerts.ts'
import * as adminAliases from './admin/aliases.ts'
import audit from './admin/audit.ts'
import { batchRoutes } from './admin/batches.ts'
import * as adminConfig from './admin/config.ts'
import * as adminCredentials from './admin/credentials.ts'
import { deliveryRoutes } from './admin/deliveries.ts'
import explain from './admin/explain.ts'
import { guardrailRoutes } from './admin/guardrails.ts'
import * as adminIdentityLinks from './admin/identity-links.ts'
import * as adminInvitations from './admin/invitations.ts'
import { accept } from './admin/invitations/accept.ts'
import { jobListRoutes } from './admin/jobs.ts'
import { jobRoutes } from './admin/jobs/job.ts'
import * as applyingLimits from './admin/applying-limits.ts'
import * as adminKeys from './admin/keys.ts'
import keyAccess from './admin/keys/access.ts'
import { preview as previewKey } from './admin/keys/preview.ts'
import * as adminLimits from './admin/limits.ts'
import * as adminMe from './admin/me.ts'
import * as adminMembers from './admin/members.ts'
import metrics from './admin/metrics.ts'
import { modelRoutes } from './admin/models.ts'
import * as adminOrganizations from './admin/organizations.ts'
import * as adminProjects from './admin/projects.ts'
import { mcpServerRoutes } from './admin/mcp/servers.ts'
import adminOverview from './admin/overview.ts'
import { playgroundRoutes } from './admin/playground.ts'
import adminProviders from './admin/providers.ts'
import { requestRoutes } from './admin/requests.ts'
import * as adminSessions from './admin/sessions.ts'
import { setup } from './admin/setup.ts'
import targets from './admin/targets.ts'
import * as adminUsage from './admin/usage.ts'
import * as adminUsers from './admin/users.ts'
import { create as inviteUser } from './admin/users/invitation.ts'
import { remove as endUserSessions } from './admin/users/sessions.ts'
import * as adminTokens from './admin/users/tokens.ts'
import * as consolePages from './console.ts'
import { docs, docsAsset, docsText } from './docs.ts'
import { live, ready } from './health.ts'
import openapi from './openapi.ts'
import results from './results.ts'
import oidcBegin from './sign-in/oidc.ts'
import oidcCallback from './sign-in/oidc/callback.ts'
import oidcLogout from './sign-in/oidc/logout.ts'
import signInProviders from './sign-in/providers.ts'

/** The admin listener, which is never on the API's port. */
export const ADMIN_ROUTES: readonly Route[] = [
  adminKeys.create,
  adminKeys.list,
  adminKeys.bulk,
  previewKey,
  adminKeys.show,
  adminKeys.update,
  adminKeys.rotate,
  adminKeys.record,
  adminKeys.revoke,
  keyAccess,
  adminProjects.create,
  adminProjects.list,
  adminProjects.show,
  adminProjects.update,
  adminProjects.remove,
  adminProjects.removeContent,
  applyingLimits.ofProject,
  adminOrganizations.create,
  adminOrganizations.list,
  adminOrganizations.show,
  adminOrganizations.update,
  adminOrganizations.remove,
  adminAliases.create,
  adminAliases.list,
  adminAliases.one,
  adminAliases.change,
  adminAliases.remove,
  ...adminLimits.budgets,
  ...adminLimits.rateLimits,
  ...guardrailRoutes,
  adminCredentials.list,
  adminCredentials.create,
  adminCredentials.change,
  adminCredentials.remove,
  ...mcpServerRoutes,
  adminOverview,
  adminUsage.report,
  adminUsage.series,
  ...requestRoutes,
  ...agentSessionRoutes,
  ...batchRoutes,
  ...jobListRoutes,
  ...jobRoutes,
  ...deliveryRoutes,
  ...alertRoutes,
  targets,
  adminProviders,
  ...modelRoutes,
  ...playgroundRoutes,
  // The console may load files of its own listener only, and shows what its tasks have made.
  results,
  explain,
  adminConfig.show,
  adminConfig.change,
  adminConfig.reload,
  setup,
  adminSessions.create,
  adminSessions.list,
  adminSessions.remove,
  adminSessions.removeAll,
  adminMe.show,
  adminMe.change,
  adminMe.linkIdentity,
  adminMe.leave,
  applyingLimits.own,
  adminUsers.create,
  adminUsers.list,
  adminUsers.show,
  adminUsers.change,
  adminUsers.remove,
  applyingLimits.ofUser,
  adminTokens.create,
  adminTokens.list,
  adminTokens.remove,
  endUserSessions,
  inviteUser,
  adminMembers.create,
  adminMembers.list,
  adminMembers.show,
  adminMembers.change,
  adminMembers.remove,
  adminInvitations.create,
  adminInvitations.list,
  adminInvitations.show,
  adminInvitations.remove,
  accept,
  audit,
  consolePages.home,
  ...consolePages.screens,
  consolePages.signIn,
  consolePages.setup,
  consolePages.asset,
  adminIdentityLinks.list,
  adminIdentityLinks.confirm,
  adminIdentityLinks.remove,
  signInProviders,
  oidcBegin,
  oidcCallback,
  oidcLogout,
  metrics,
  live,
  ready,
  openapi,
  docs,
  docsText,
  docsAsset,
]
