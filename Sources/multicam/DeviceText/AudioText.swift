import Foundation
import Monitoring

/// Levels and alarms of audio in few words.
enum AudioText {
    /// Formats a loudness in LUFS: `−23.1 LUFS`.
    static func loudness(_ value: Double) -> String {
        String(format: "%.1f LUFS", value).replacingOccurrences(of: "-", with: "−")
    }

    static func word(_ alarm: AudioAlarm.Kind) -> String {
        switch alarm {
        case .noSignal: "NO SIGNAL"
        case .silence: "SILENT"
        case .clipping: "TOO LOUD"
        }
    }
}
