internal import Foundation

extension StateFileContent {
    /// The file in which this is kept for the user who runs this process; `nil` where that user has no place for it.
    package static var file: StateFile<Self>? { StateFile(environment: ProcessInfo.processInfo.environment) }
}
