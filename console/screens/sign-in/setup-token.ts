const INVITATION = 'invitation='

type SetupLink = { token: string; isInvitation: boolean }

/** Takes the token out of the address, so that it does not stay in the history of the browser. */
export function takeToken(): SetupLink | undefined {
  const fragment = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  const isInvitation = fragment.startsWith(INVITATION)
  const token = isInvitation ? fragment.slice(INVITATION.length) : fragment
  return token === '' ? undefined : { token, isInvitation }
}
