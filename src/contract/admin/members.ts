import { moment, nullable, optional, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'
import { closed, email, inOrganization, name, onProject, password, role, secretToken, token } from './person-fields.ts'

// Memberships, invitations and links for a first password.

export const Member = Type.Object(
  {
    id: uuid('Identifies the membership.'),
    user: Type.String({ description: 'The id of the user.' }),
    organization: Type.String({ description: 'The organization.' }),
    project: nullable(Type.String(), 'The project. Null for the whole organization.'),
    role,
    source: words(['manual', 'sso'], { description: 'Who rules it: people, or an identity provider.' }),
    created_at: timestamp('When it began.'),
  },
  { title: 'Member', description: 'A role of a user on the organization or a project.' },
)
export type Member = Static<typeof Member>
export const MemberList = pageOf(Member, { title: 'MemberList', description: 'Memberships, newest first.' })
export type MemberList = Static<typeof MemberList>

export const CreateMemberRequest = Type.Object(
  { user: uuid('The id of the user.'), role, organization: inOrganization, project: onProject },
  closed('CreateMemberRequest', 'A role to give to a user.'),
)
export type CreateMemberRequest = Static<typeof CreateMemberRequest>

export const ChangeMemberRequest = Type.Object({ role }, closed('ChangeMemberRequest', 'The new role.'))
export type ChangeMemberRequest = Static<typeof ChangeMemberRequest>

const invitationFields = {
  id: uuid('Identifies the invitation. It is not the token.'),
  email: Type.String({ description: 'Who is invited.' }),
  role,
  organization: Type.String({ description: 'The organization.' }),
  project: nullable(Type.String(), 'The project. Null for the whole organization.'),
  invited_by: Type.String({ description: 'Who has invited.' }),
  created_at: timestamp('When it was made.'),
  expires_at: timestamp('Until when it can be used.'),
  used_at: nullable(moment, 'When it was used. It can be used once.'),
}
export const Invitation = Type.Object(invitationFields, { title: 'Invitation', description: 'An invitation.' })
export type Invitation = Static<typeof Invitation>
export const CreatedInvitation = Type.Object(
  {
    ...invitationFields,
    token: secretToken('The token of the link.'),
    url: Type.String({ description: 'The link to send to the person. It is shown here only.' }),
  },
  { title: 'CreatedInvitation', description: 'An invitation with its link.' },
)
export type CreatedInvitation = Static<typeof CreatedInvitation>
export const InvitationList = pageOf(Invitation, { title: 'InvitationList', description: 'Invitations, newest first.' })
export type InvitationList = Static<typeof InvitationList>

export const AccountLink = Type.Object(
  {
    user: uuid('The user.'),
    email: Type.String({ description: 'Whom to send it to.' }),
    expires_at: timestamp('Until when it can be used.'),
    token: secretToken('The token of the link.'),
    url: Type.String({ description: 'The link to send to the person. It is shown here only.' }),
  },
  { title: 'AccountLink', description: 'A link with which a person sets the first password of an account.' },
)
export type AccountLink = Static<typeof AccountLink>

export const CreateInvitationRequest = Type.Object(
  {
    email,
    role,
    organization: inOrganization,
    project: onProject,
    expires_in_hours: optional(Type.Integer({ minimum: 1, maximum: 720 }), 'How long it can be used.', { default: 72 }),
  },
  closed('CreateInvitationRequest', 'Who to invite.'),
)
export type CreateInvitationRequest = Static<typeof CreateInvitationRequest>

export const AcceptInvitationRequest = Type.Object(
  { token, name: Type.Optional(name), password: Type.Optional(password) },
  closed(
    'AcceptInvitationRequest',
    'A new user sets a name and a password. A person who has an account signs in first.',
  ),
)
export type AcceptInvitationRequest = Static<typeof AcceptInvitationRequest>
