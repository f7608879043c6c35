/** The command line cannot be carried out as it was typed. */
export class UsageError extends Error {}
