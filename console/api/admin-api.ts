// Written by `npm run docs`, from the routes of the admin listener.

import type { AgentSessionList, AgentSessionRecord, LiftSessionRequest } from '../../src/contract/admin/agent-sessions.ts'
import type { Alert, AlertList, AlertRules, TestAlertReply, TestAlertRequest } from '../../src/contract/admin/alerts.ts'
import type { AliasBody, AliasList, ChangeAliasRequest, CreateAliasRequest } from '../../src/contract/admin/aliases.ts'
import type { AuditList } from '../../src/contract/admin/audit.ts'
import type { BatchRecord, WatchedBatchList } from '../../src/contract/admin/batches.ts'
import type { BulkResult } from '../../src/contract/admin/bulk.ts'
import type { ChangeConfigRequest, ConfigReport, ReloadReport } from '../../src/contract/admin/config.ts'
import type { RecordKeyRequest, RequestContent } from '../../src/contract/admin/content.ts'
import type { ChangeCredentialRequest, CreateCredentialRequest, CredentialList, NamedCredential } from '../../src/contract/admin/credentials.ts'
import type { DeliveryRecord, RedeliverRequest, TestDelivery, TestDeliveryRequest } from '../../src/contract/admin/deliveries.ts'
import type { ChangeGuardrailRequest, CreateGuardrailRequest, GuardrailBody, GuardrailList, GuardrailReport, ReplayGuardrailRequest, ReplayedGuardrail, TestGuardrailRequest, TestedGuardrail } from '../../src/contract/admin/guardrails.ts'
import type { BulkJobsRequest, JobCounts, JobRecord, RetriedJob } from '../../src/contract/admin/jobs.ts'
import type { KeyAccess } from '../../src/contract/admin/key-access.ts'
import type { BulkKeysRequest, CreateKeyRequest, CreatedKey, KeyList, KeyPreview, KeySummary, PreviewKeyRequest, RotateKeyRequest, UpdateKeyRequest } from '../../src/contract/admin/keys.ts'
import type { ApplyingLimits, ChangeBudgetRequest, ChangeRateLimitRequest, CreateBudgetRequest, CreateRateLimitRequest, LimitBody, LimitList, ReleasedLeases } from '../../src/contract/admin/limits.ts'
import type { ChangeMcpServerRequest, CreateMcpServerRequest, McpServerBody, McpServerList, McpToolList, OfferedMcpServers } from '../../src/contract/admin/mcp-servers.ts'
import type { AcceptInvitationRequest, AccountLink, ChangeMemberRequest, CreateInvitationRequest, CreateMemberRequest, CreatedInvitation, Invitation, InvitationList, Member, MemberList } from '../../src/contract/admin/members.ts'
import type { Delivery, DeliveryList, ExplainRequest, Explanation, WatchedJobList, WatchedTargets } from '../../src/contract/admin/operations.ts'
import type { Overview } from '../../src/contract/admin/overview.ts'
import type { ChangeMeRequest, LinkIdentityAnswer, LinkIdentityRequest, Me, SessionList, SetupRequest, SignInRequest, SignOutAnswer } from '../../src/contract/admin/own-account.ts'
import type { AdminTokenList, ChangeUserRequest, CreateTokenRequest, CreateUserRequest, CreatedAdminToken, User, UserList } from '../../src/contract/admin/people.ts'
import type { CreateOrganizationRequest, CreateProjectRequest, DeletedContent, OrganizationBody, OrganizationList, ProjectBody, ProjectList, UpdateOrganizationRequest, UpdateProjectRequest } from '../../src/contract/admin/projects.ts'
import type { CatalogModelList, ModelDetail, ProviderStateList, TestModelRequest, TestedModel } from '../../src/contract/admin/providers.ts'
import type { RequestList, RequestRecord } from '../../src/contract/admin/requests.ts'
import type { IdentityLinkBody, IdentityLinkList, SignInOptions } from '../../src/contract/admin/sign-in.ts'
import type { SimulateBudgetRequest, SimulateRateLimitRequest, Simulation } from '../../src/contract/admin/simulation.ts'
import type { UsageReport, UsageSeries } from '../../src/contract/admin/usage.ts'
import type { SpeechRequest } from '../../src/contract/audio.ts'
import type { ChatCompletion } from '../../src/contract/chat-reply.ts'
import type { ChatRequest } from '../../src/contract/chat.ts'
import type { EmbeddingsReply, EmbeddingsRequest } from '../../src/contract/embeddings.ts'
import type { UploadedFile } from '../../src/contract/files.ts'
import type { ImageGenerationRequest, ImageResponse } from '../../src/contract/images.ts'
import type { FeatureList, TaskInfo } from '../../src/contract/info.ts'
import type { McpAnswer, McpMessage } from '../../src/contract/mcp.ts'
import type { ModelList } from '../../src/contract/models.ts'
import type { UniversalAsyncRequest, UniversalJob, UniversalRequest, UniversalResponse } from '../../src/contract/universal.ts'

/** What the console may ask: the names of the query, the body of the request, and the body of the answer. */
export type AdminApi = {
  'POST /admin/keys': { query: never; body: CreateKeyRequest; reply: CreatedKey }
  'GET /admin/keys': { query: 'project' | 'user' | 'state' | 'name' | 'limit' | 'cursor' | 'format'; body: undefined; reply: KeyList }
  'POST /admin/keys/bulk': { query: never; body: BulkKeysRequest; reply: BulkResult }
  'POST /admin/keys/preview': { query: never; body: PreviewKeyRequest; reply: KeyPreview }
  'GET /admin/keys/{id}': { query: never; body: undefined; reply: KeySummary }
  'PATCH /admin/keys/{id}': { query: never; body: UpdateKeyRequest; reply: KeySummary }
  'POST /admin/keys/{id}/rotate': { query: never; body: RotateKeyRequest; reply: CreatedKey }
  'POST /admin/keys/{id}/record': { query: never; body: RecordKeyRequest; reply: KeySummary }
  'DELETE /admin/keys/{id}': { query: never; body: undefined; reply: undefined }
  'GET /admin/keys/{id}/access': { query: never; body: undefined; reply: KeyAccess }
  'POST /admin/projects': { query: never; body: CreateProjectRequest; reply: ProjectBody }
  'GET /admin/projects': { query: 'organization' | 'limit' | 'cursor' | 'format'; body: undefined; reply: ProjectList }
  'GET /admin/projects/{project}': { query: never; body: undefined; reply: ProjectBody }
  'PATCH /admin/projects/{project}': { query: never; body: UpdateProjectRequest; reply: ProjectBody }
  'DELETE /admin/projects/{project}': { query: 'force'; body: undefined; reply: undefined }
  'DELETE /admin/projects/{project}/end-users/{end_user}/content': { query: 'force'; body: undefined; reply: DeletedContent }
  'GET /admin/projects/{project}/limits': { query: never; body: undefined; reply: ApplyingLimits }
  'POST /admin/organizations': { query: never; body: CreateOrganizationRequest; reply: OrganizationBody }
  'GET /admin/organizations': { query: 'limit' | 'cursor'; body: undefined; reply: OrganizationList }
  'GET /admin/organizations/{organization}': { query: never; body: undefined; reply: OrganizationBody }
  'PATCH /admin/organizations/{organization}': { query: never; body: UpdateOrganizationRequest; reply: OrganizationBody }
  'DELETE /admin/organizations/{organization}': { query: never; body: undefined; reply: undefined }
  'POST /admin/aliases': { query: never; body: CreateAliasRequest; reply: AliasBody }
  'GET /admin/aliases': { query: 'limit' | 'cursor' | 'format'; body: undefined; reply: AliasList }
  'GET /admin/aliases/{alias}': { query: never; body: undefined; reply: AliasBody }
  'PATCH /admin/aliases/{alias}': { query: never; body: ChangeAliasRequest; reply: AliasBody }
  'DELETE /admin/aliases/{alias}': { query: never; body: undefined; reply: undefined }
  'POST /admin/budgets': { query: never; body: CreateBudgetRequest; reply: LimitBody }
  'GET /admin/budgets': { query: 'limit' | 'cursor' | 'format'; body: undefined; reply: LimitList }
  'GET /admin/budgets/{limit_id}': { query: never; body: undefined; reply: LimitBody }
  'PATCH /admin/budgets/{limit_id}': { query: never; body: ChangeBudgetRequest; reply: LimitBody }
  'DELETE /admin/budgets/{limit_id}': { query: never; body: undefined; reply: undefined }
  'POST /admin/budgets/{limit_id}/release': { query: never; body: undefined; reply: ReleasedLeases }
  'POST /admin/budgets/{limit_id}/reset': { query: never; body: undefined; reply: LimitBody }
  'POST /admin/budgets/simulate': { query: never; body: SimulateBudgetRequest; reply: Simulation }
  'POST /admin/rate-limits': { query: never; body: CreateRateLimitRequest; reply: LimitBody }
  'GET /admin/rate-limits': { query: 'limit' | 'cursor' | 'format'; body: undefined; reply: LimitList }
  'GET /admin/rate-limits/{limit_id}': { query: never; body: undefined; reply: LimitBody }
  'PATCH /admin/rate-limits/{limit_id}': { query: never; body: ChangeRateLimitRequest; reply: LimitBody }
  'DELETE /admin/rate-limits/{limit_id}': { query: never; body: undefined; reply: undefined }
  'POST /admin/rate-limits/{limit_id}/release': { query: never; body: undefined; reply: ReleasedLeases }
  'POST /admin/rate-limits/{limit_id}/reset': { query: never; body: undefined; reply: LimitBody }
  'POST /admin/rate-limits/simulate': { query: never; body: SimulateRateLimitRequest; reply: Simulation }
  'POST /admin/guardrails': { query: never; body: CreateGuardrailRequest; reply: GuardrailBody }
  'GET /admin/guardrails': { query: 'limit' | 'cursor' | 'format'; body: undefined; reply: GuardrailList }
  'POST /admin/guardrails/test': { query: never; body: TestGuardrailRequest; reply: TestedGuardrail }
  'POST /admin/guardrails/replay': { query: never; body: ReplayGuardrailRequest; reply: ReplayedGuardrail }
  'GET /admin/guardrails/{guardrail_id}/report': { query: 'from' | 'to'; body: undefined; reply: GuardrailReport }
  'GET /admin/guardrails/{guardrail_id}': { query: never; body: undefined; reply: GuardrailBody }
  'PATCH /admin/guardrails/{guardrail_id}': { query: never; body: ChangeGuardrailRequest; reply: GuardrailBody }
  'DELETE /admin/guardrails/{guardrail_id}': { query: never; body: undefined; reply: undefined }
  'GET /admin/credentials': { query: 'provider' | 'limit' | 'cursor'; body: undefined; reply: CredentialList }
  'POST /admin/credentials': { query: never; body: CreateCredentialRequest; reply: NamedCredential }
  'PATCH /admin/credentials/{id}': { query: never; body: ChangeCredentialRequest; reply: NamedCredential }
  'DELETE /admin/credentials/{id}': { query: never; body: undefined; reply: undefined }
  'POST /admin/mcp/servers': { query: never; body: CreateMcpServerRequest; reply: McpServerBody }
  'GET /admin/mcp/servers': { query: 'limit' | 'cursor'; body: undefined; reply: McpServerList }
  'GET /admin/mcp/servers/{server_name}': { query: never; body: undefined; reply: McpServerBody }
  'PATCH /admin/mcp/servers/{server_name}': { query: never; body: ChangeMcpServerRequest; reply: McpServerBody }
  'DELETE /admin/mcp/servers/{server_name}': { query: never; body: undefined; reply: undefined }
  'GET /admin/mcp/servers/{server_name}/tools': { query: never; body: undefined; reply: McpToolList }
  'GET /admin/overview': { query: 'from' | 'to'; body: undefined; reply: Overview }
  'GET /admin/usage': { query: 'from' | 'to' | 'organization' | 'project' | 'user' | 'key' | 'owner' | 'end_user' | 'session' | 'agent' | 'batch' | 'client' | 'tag' | 'requested_model' | 'model' | 'provider' | 'endpoint' | 'status' | 'code' | 'failed' | 'guardrail' | 'fallback' | 'min_cost' | 'max_cost' | 'min_duration_ms' | 'max_duration_ms' | 'group_by' | 'format' | 'limit' | 'cursor'; body: undefined; reply: UsageReport }
  'GET /admin/usage/series': { query: 'from' | 'to' | 'organization' | 'project' | 'user' | 'key' | 'owner' | 'end_user' | 'session' | 'agent' | 'batch' | 'client' | 'tag' | 'requested_model' | 'model' | 'provider' | 'endpoint' | 'status' | 'code' | 'failed' | 'guardrail' | 'fallback' | 'min_cost' | 'max_cost' | 'min_duration_ms' | 'max_duration_ms' | 'group_by' | 'over' | 'metric' | 'top'; body: undefined; reply: UsageSeries }
  'GET /admin/requests': { query: 'from' | 'to' | 'organization' | 'project' | 'user' | 'key' | 'owner' | 'end_user' | 'session' | 'agent' | 'batch' | 'client' | 'tag' | 'requested_model' | 'model' | 'provider' | 'endpoint' | 'status' | 'code' | 'failed' | 'guardrail' | 'fallback' | 'min_cost' | 'max_cost' | 'min_duration_ms' | 'max_duration_ms' | 'id' | 'upstream_id' | 'format' | 'limit' | 'cursor'; body: undefined; reply: RequestList }
  'GET /admin/requests/live': { query: 'organization' | 'project' | 'user' | 'key' | 'owner' | 'end_user' | 'session' | 'agent' | 'batch' | 'client' | 'tag' | 'requested_model' | 'model' | 'provider' | 'endpoint' | 'status' | 'code' | 'failed' | 'guardrail' | 'fallback' | 'min_cost' | 'max_cost' | 'min_duration_ms' | 'max_duration_ms' | 'id' | 'upstream_id'; body: undefined; reply: undefined }
  'GET /admin/requests/{call_id}/content': { query: never; body: undefined; reply: RequestContent }
  'GET /admin/requests/{call_id}': { query: never; body: undefined; reply: RequestRecord }
  'GET /admin/agent-sessions': { query: 'from' | 'to' | 'organization' | 'project' | 'user' | 'key' | 'owner' | 'end_user' | 'session' | 'agent' | 'batch' | 'client' | 'tag' | 'requested_model' | 'model' | 'provider' | 'endpoint' | 'status' | 'code' | 'failed' | 'guardrail' | 'fallback' | 'min_cost' | 'max_cost' | 'min_duration_ms' | 'max_duration_ms' | 'limit' | 'cursor'; body: undefined; reply: AgentSessionList }
  'GET /admin/agent-sessions/{agent_session}': { query: never; body: undefined; reply: AgentSessionRecord }
  'POST /admin/agent-sessions/lift': { query: never; body: LiftSessionRequest; reply: AgentSessionRecord }
  'GET /admin/batches': { query: 'status' | 'project' | 'key' | 'from' | 'to' | 'limit' | 'cursor' | 'format'; body: undefined; reply: WatchedBatchList }
  'GET /admin/batches/{id}': { query: never; body: undefined; reply: BatchRecord }
  'POST /admin/batches/{id}/cancel': { query: never; body: undefined; reply: undefined }
  'GET /admin/jobs': { query: 'status' | 'project' | 'owner' | 'feature' | 'subfeature' | 'provider' | 'from' | 'to' | 'limit' | 'cursor' | 'format'; body: undefined; reply: WatchedJobList }
  'GET /admin/jobs/counts': { query: 'status' | 'project' | 'owner' | 'feature' | 'subfeature' | 'provider' | 'from' | 'to'; body: undefined; reply: JobCounts }
  'POST /admin/jobs/bulk': { query: never; body: BulkJobsRequest; reply: BulkResult }
  'GET /admin/jobs/{job_id}': { query: 'content'; body: undefined; reply: JobRecord }
  'POST /admin/jobs/{job_id}/cancel': { query: never; body: undefined; reply: undefined }
  'POST /admin/jobs/{job_id}/retry': { query: never; body: undefined; reply: RetriedJob }
  'DELETE /admin/jobs/{job_id}': { query: never; body: undefined; reply: undefined }
  'GET /admin/deliveries': { query: 'state' | 'job_id' | 'last_status' | 'project' | 'owner' | 'receiver' | 'from' | 'to' | 'limit' | 'cursor' | 'format'; body: undefined; reply: DeliveryList }
  'GET /admin/deliveries/{id}': { query: 'content'; body: undefined; reply: DeliveryRecord }
  'POST /admin/deliveries/{id}/redeliver': { query: never; body: undefined; reply: Delivery }
  'POST /admin/deliveries/redeliver': { query: never; body: RedeliverRequest; reply: BulkResult }
  'POST /admin/deliveries/test': { query: never; body: TestDeliveryRequest; reply: TestDelivery }
  'GET /admin/alerts': { query: 'state' | 'rule' | 'project' | 'from' | 'to' | 'limit' | 'cursor' | 'format'; body: undefined; reply: AlertList }
  'GET /admin/alerts/rules': { query: never; body: undefined; reply: AlertRules }
  'POST /admin/alerts/test': { query: never; body: TestAlertRequest; reply: TestAlertReply }
  'POST /admin/alerts/{id}/acknowledge': { query: never; body: undefined; reply: Alert }
  'GET /admin/targets': { query: never; body: undefined; reply: WatchedTargets }
  'GET /admin/providers': { query: never; body: undefined; reply: ProviderStateList }
  'GET /admin/models': { query: 'name' | 'provider' | 'type' | 'capability' | 'min_context' | 'configured' | 'project' | 'order' | 'limit' | 'cursor'; body: undefined; reply: CatalogModelList }
  'POST /admin/models/test': { query: never; body: TestModelRequest; reply: TestedModel }
  'GET /admin/models/{model}': { query: never; body: undefined; reply: ModelDetail }
  'POST /admin/playground/chat/completions': { query: 'project' | 'kind'; body: ChatRequest; reply: ChatCompletion }
  'POST /admin/playground/embeddings': { query: 'project' | 'kind'; body: EmbeddingsRequest; reply: EmbeddingsReply }
  'POST /admin/playground/images/generations': { query: 'project' | 'kind'; body: ImageGenerationRequest; reply: ImageResponse }
  'GET /admin/playground/images/models': { query: 'project' | 'kind' | 'view' | 'all' | 'available'; body: undefined; reply: ModelList }
  'POST /admin/playground/audio/speech': { query: 'project' | 'kind'; body: SpeechRequest; reply: undefined }
  'GET /admin/playground/audio/speech/models': { query: 'project' | 'kind' | 'view' | 'all' | 'available'; body: undefined; reply: ModelList }
  'POST /admin/playground/universal-ai': { query: 'project' | 'kind'; body: UniversalRequest; reply: UniversalResponse }
  'POST /admin/playground/universal-ai/async': { query: 'project' | 'kind'; body: UniversalAsyncRequest; reply: UniversalJob }
  'GET /admin/playground/universal-ai/async/{job_id}': { query: 'project' | 'kind'; body: undefined; reply: UniversalJob }
  'POST /admin/playground/upload': { query: 'project' | 'kind'; body: undefined; reply: UploadedFile }
  'GET /admin/playground/models': { query: 'project' | 'kind' | 'type' | 'view' | 'all' | 'available'; body: undefined; reply: ModelList }
  'POST /admin/playground/mcp/{server_name}': { query: 'project' | 'kind'; body: McpMessage; reply: McpAnswer }
  'GET /admin/playground/info': { query: 'project' | 'kind'; body: undefined; reply: FeatureList }
  'GET /admin/playground/info/{feature}/{subfeature}': { query: 'project' | 'kind' | 'format'; body: undefined; reply: TaskInfo }
  'GET /admin/playground/mcp': { query: 'project' | 'kind'; body: undefined; reply: OfferedMcpServers }
  'POST /admin/explain': { query: 'key'; body: ExplainRequest; reply: Explanation }
  'GET /admin/config': { query: never; body: undefined; reply: ConfigReport }
  'PATCH /admin/config': { query: never; body: ChangeConfigRequest; reply: ConfigReport }
  'POST /admin/config/reload': { query: never; body: undefined; reply: ReloadReport }
  'POST /admin/setup': { query: never; body: SetupRequest; reply: Me }
  'POST /admin/sessions': { query: never; body: SignInRequest; reply: Me }
  'GET /admin/sessions': { query: never; body: undefined; reply: SessionList }
  'DELETE /admin/sessions/{id}': { query: never; body: undefined; reply: undefined }
  'DELETE /admin/sessions': { query: never; body: undefined; reply: undefined }
  'GET /admin/me': { query: never; body: undefined; reply: Me }
  'PATCH /admin/me': { query: never; body: ChangeMeRequest; reply: Me }
  'POST /admin/me/identity': { query: never; body: LinkIdentityRequest; reply: LinkIdentityAnswer }
  'POST /admin/me/sign-out': { query: never; body: undefined; reply: SignOutAnswer }
  'GET /admin/me/limits': { query: never; body: undefined; reply: ApplyingLimits }
  'POST /admin/users': { query: never; body: CreateUserRequest; reply: User }
  'GET /admin/users': { query: 'kind' | 'limit' | 'cursor' | 'format'; body: undefined; reply: UserList }
  'GET /admin/users/{id}': { query: never; body: undefined; reply: User }
  'PATCH /admin/users/{id}': { query: never; body: ChangeUserRequest; reply: User }
  'DELETE /admin/users/{id}': { query: never; body: undefined; reply: undefined }
  'GET /admin/users/{id}/limits': { query: never; body: undefined; reply: ApplyingLimits }
  'POST /admin/users/{id}/tokens': { query: never; body: CreateTokenRequest; reply: CreatedAdminToken }
  'GET /admin/users/{id}/tokens': { query: never; body: undefined; reply: AdminTokenList }
  'DELETE /admin/users/{id}/tokens/{token_id}': { query: never; body: undefined; reply: undefined }
  'DELETE /admin/users/{id}/sessions': { query: never; body: undefined; reply: undefined }
  'POST /admin/users/{id}/invitation': { query: never; body: undefined; reply: AccountLink }
  'POST /admin/members': { query: never; body: CreateMemberRequest; reply: Member }
  'GET /admin/members': { query: 'project' | 'user' | 'limit' | 'cursor'; body: undefined; reply: MemberList }
  'GET /admin/members/{id}': { query: never; body: undefined; reply: Member }
  'PATCH /admin/members/{id}': { query: never; body: ChangeMemberRequest; reply: Member }
  'DELETE /admin/members/{id}': { query: never; body: undefined; reply: undefined }
  'POST /admin/invitations': { query: never; body: CreateInvitationRequest; reply: CreatedInvitation }
  'GET /admin/invitations': { query: 'limit' | 'cursor'; body: undefined; reply: InvitationList }
  'GET /admin/invitations/{id}': { query: never; body: undefined; reply: Invitation }
  'DELETE /admin/invitations/{id}': { query: never; body: undefined; reply: undefined }
  'POST /admin/invitations/accept': { query: never; body: AcceptInvitationRequest; reply: Me }
  'GET /admin/audit': { query: 'actor' | 'action' | 'object' | 'from' | 'to' | 'format' | 'limit' | 'cursor'; body: undefined; reply: AuditList }
  'GET /admin/identity-links': { query: 'limit' | 'cursor'; body: undefined; reply: IdentityLinkList }
  'POST /admin/identity-links/{id}/confirm': { query: never; body: undefined; reply: IdentityLinkBody }
  'DELETE /admin/identity-links/{id}': { query: never; body: undefined; reply: undefined }
  'GET /sign-in/providers': { query: never; body: undefined; reply: SignInOptions }
}
