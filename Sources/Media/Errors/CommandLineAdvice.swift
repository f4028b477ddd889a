internal import Synchronization

/// Advice in messages that names a command or an option of multicam.
///
/// The executables of multicam enable it. Other programs that use the library don't, because their users have
/// no command line.
package enum CommandLineAdvice {
    private static let isEnabledInProcess = Atomic(false)

    /// Whether messages of this process may name commands and options.
    package static var isEnabled: Bool { isEnabledInProcess.load(ordering: .relaxed) }

    /// Lets messages of this process name commands and options.
    package static func enable() { isEnabledInProcess.store(true, ordering: .relaxed) }
}

/// Returns the wording for a message: one that may name commands and options of multicam in the executables of
/// multicam, and another one in programs that use the library.
package func onCommandLine(_ advice: String, otherwise: String = "") -> String {
    CommandLineAdvice.isEnabled ? advice : otherwise
}
