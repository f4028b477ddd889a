// A program imports only MulticamKit, which re-exports the modules whose types appear in the public API. Most declarations of
// these modules are `package`, so the program doesn't see them.
@_exported public import Inputs
@_exported public import Media
@_exported public import Monitoring
@_exported public import Plan
@_exported public import Profiles
@_exported public import Session
@_exported public import SessionFolder
@_exported public import Setup
@_exported public import Stills
@_exported public import Timing
@_exported public import Writers
