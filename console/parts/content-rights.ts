/** For somebody who may see a call, a job or a webhook, and not what is in it. */
export const NOT_FOR_YOU =
  'You may not read what callers wrote and got here. Owners and admins may, members what their own keys did, and managers if the ' +
  'settings of the project say so.'
