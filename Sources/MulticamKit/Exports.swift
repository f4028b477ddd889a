// A program that uses MulticamKit needs no other import: the modules whose types appear in the public API of the session are
// re-exported. All other declarations of these modules are visible only inside the package.
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
