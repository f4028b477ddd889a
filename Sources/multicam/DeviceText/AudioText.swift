import Media
import Monitoring

/// Levels and alarms of audio in few words.
enum AudioText {
    /// Formats a loudness in LUFS: `−23.1 LUFS`.
    static func loudness(_ value: Double) -> String {
        "\(value < 0 ? "−" : "")\(abs(value).decimals(1)) LUFS"
    }

    static func word(_ alarm: AudioAlarm.Kind) -> String {
        switch alarm {
        case .noSignal: "NO SIGNAL"
        case .silence: "SILENT"
        case .clipping: "TOO LOUD"
        }
    }
}
