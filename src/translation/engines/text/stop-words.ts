/** English function words, which say nothing about the subject of a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above across after again against all almost alone along already also although always am among an and ' +
    'another any anyone anything are around as at away back be became because become been before began behind being ' +
    'below between both but by came can cannot come could did do does doing done down during each either else enough ' +
    'even ever every everyone everything few first for from further gave get give given go goes going gone got had has ' +
    'have having he her here hers herself him himself his how however i if in indeed instead into is it its itself ' +
    'just keep kept last later least less let like made make makes making many may maybe me might mine more most much ' +
    'must my myself near neither never new next no nobody none nor not nothing now nowhere of off often old on once ' +
    'one only onto or other others our ours ourselves out over own perhaps put quite rather really said same saw say ' +
    'says second see seem seemed seems seen several shall she should since so some someone something sometimes still ' +
    'such take taken than that the their theirs them themselves then there therefore these they thing things this ' +
    'those though through thus to today together told too took toward towards two under until up upon us use used uses ' +
    'using very want was way we well went were what when where whether which while who whole whom whose why will with ' +
    'within without would yes yet you your yours yourself yourselves'
  ).split(' '),
)
