/// Filters for a microphone in the program, or for the program's mix. Tracks keep the captured audio.
public struct SoundProcessing: Sendable, Hashable {
    /// A named combination of filters.
    public enum Preset: String, Sendable, CaseIterable {
        /// No filters. The audio is unchanged, bit for bit.
        case off
        /// One voice near a microphone in a quiet room.
        case voice
        /// One voice in a room with steady noise, such as a fan.
        case voiceNoisyRoom = "voice-noisy-room"
        /// Music: only rumble is removed, and the level is evened slightly.
        case music
    }

    /// A setting of a filter. The raw value is the setting's name in profiles, changes, and manifests, which all
    /// use this list.
    package enum Setting: String, Sendable, CaseIterable, CodingKey {
        /// Cutoff frequency of the high-pass filter in hertz.
        case highPass = "high_pass"
        /// Maximum reduction of steady noise in decibels.
        case noiseReduction = "noise_reduction"
        /// Level in dBFS below which the gate lowers the audio.
        case gate
        /// Strength of the reduction of sharp “s” sounds.
        case deEsser = "de_esser"
        /// Threshold of the compressor in dBFS. Without a threshold, the compressor isn't used.
        case threshold
        /// Compression ratio above the threshold; 3 if it isn't set.
        case ratio
        /// Gain in decibels of the compressor; 0 if it isn't set.
        case makeup
        /// Gain in decibels of a shelf below 200 Hz.
        case bass
        /// Gain in decibels of a band around 3 kHz, in which consonants are heard.
        case presence
        /// Gain in decibels of a shelf above 8 kHz.
        case treble
        /// Maximum true peak in dBTP.
        case limit

        /// Valid values.
        package var range: ClosedRange<Double> {
            switch self {
            case .highPass: 20...1000
            case .noiseReduction: 1...40
            case .gate: -80 ... -10
            case .deEsser: 0...1
            case .threshold: -60...0
            case .ratio: 1...20
            case .makeup: 0...24
            case .bass, .presence, .treble: -24...24
            case .limit: -20...0
            }
        }

        private var unit: String {
            switch self {
            case .highPass: "a frequency in hertz"
            case .noiseReduction, .makeup, .bass, .presence, .treble: "decibels"
            case .gate, .threshold: "a level in dBFS"
            case .deEsser: "a strength"
            case .ratio: "a ratio"
            case .limit: "a true peak in dBTP"
            }
        }

        /// Description of the valid values: `a level in dBFS from -60 to 0`.
        package var expected: String {
            "\(unit) from \(range.lowerBound.shortText) to \(range.upperBound.shortText)"
        }
    }

    /// Values of the settings. A filter whose settings are missing isn't used.
    package private(set) var values: [Setting: Double]

    /// Creates the filters of a preset.
    public init(_ preset: Preset) {
        values =
            switch preset {
            case .off: [:]
            case .voice:
                [
                    .highPass: 80, .deEsser: 0.3, .threshold: -24, .ratio: 3, .makeup: 5, .bass: -1,
                    .presence: 2, .limit: -1,
                ]
            case .voiceNoisyRoom:
                [
                    .highPass: 100, .noiseReduction: 12, .gate: -50, .deEsser: 0.3, .threshold: -24,
                    .ratio: 2.5,
                    .makeup: 4, .presence: 2, .limit: -1,
                ]
            case .music: [.highPass: 30, .threshold: -18, .ratio: 1.5, .makeup: 1, .limit: -1]
            }
    }

    /// No filters.
    package static let off = SoundProcessing(.off)

    /// The value of a setting; `nil` if the setting isn't used. Values outside the setting's range are limited
    /// to it.
    package subscript(_ setting: Setting) -> Double? {
        get { values[setting] }
        set {
            values[setting] = newValue.map {
                min(max($0, setting.range.lowerBound), setting.range.upperBound)
            }
        }
    }

    /// Whether no filter is used.
    package var isOff: Bool { values.isEmpty }

    /// The filters' work per sample, in multiples of the work of resampling a sample; measured with libavfilter 8 (x86-64).
    package var relativeWork: Double {
        values.keys.reduce(isOff ? 0 : 1) { sum, setting in
            switch setting {
            case .limit: sum + 8
            case .noiseReduction: sum + 6
            case .gate: sum + 2
            case .highPass, .deEsser, .threshold, .bass, .presence, .treble: sum + 1
            case .ratio, .makeup: sum
            }
        }
    }

    /// The processing as text: the preset's name, or `off` and all settings, such as `off high_pass=80`.
    package var words: [String] {
        if let preset = Preset.allCases.first(where: { SoundProcessing($0) == self }) {
            return [preset.rawValue]
        }
        return [Preset.off.rawValue]
            + Setting.allCases.compactMap { setting in
                values[setting].map { "\(setting.rawValue)=\($0.shortText)" }
            }
    }

    /// Parses a preset's name, followed by settings that differ from the preset: `voice`, `high_pass=100`. The value
    /// `off` removes a setting.
    ///
    /// - Parameter words: The words, such as those of a command.
    /// - Returns: The processing, or a sentence that states which word is invalid and what was expected.
    package static func parse(_ words: [String]) -> Result<SoundProcessing, Invalid> {
        guard let name = words.first, let preset = Preset(rawValue: name) else {
            let names = Preset.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(Invalid("where PRESET is one of \(names)"))
        }
        var processing = SoundProcessing(preset)
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                return .failure(Invalid("where each setting is SETTING=VALUE, for example gate=-50"))
            }
            guard let setting = Setting(rawValue: parts[0]) else {
                let names = Setting.allCases.map(\.rawValue).joined(separator: ", ")
                return .failure(Invalid("where SETTING is one of \(names)"))
            }
            guard parts[1] != "off" else {
                processing[setting] = nil
                continue
            }
            guard let value = Double(parts[1]), setting.range.contains(value) else {
                return .failure(Invalid("where \(setting.rawValue) is off or \(setting.expected)"))
            }
            processing[setting] = value
        }
        return .success(processing)
    }

    /// The part of the syntax that a text violates, as the end of a sentence: `where PRESET is one of off, voice`.
    package struct Invalid: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }
}

extension SoundProcessing: Codable {
    /// Reads the values of the settings by name. Unknown settings, which a newer version may have written, are ignored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Setting.self)
        self = .off
        for setting in Setting.allCases {
            let value = try container.decodeIfPresent(Double.self, forKey: setting)
            self[setting] = value.flatMap { $0.isFinite ? $0 : nil }
        }
    }

    /// Writes the values of the settings by name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Setting.self)
        for setting in Setting.allCases { try container.encodeIfPresent(values[setting], forKey: setting) }
    }
}

extension Double {
    /// The number without a fraction if it is whole: `80`, `0.3`.
    fileprivate var shortText: String { self == rounded() && abs(self) < 1e6 ? "\(Int(self))" : "\(self)" }
}

/// Filters for audio at the session's rate, 48 kHz. Use each filter chain from only one thread.
package protocol SoundFiltering: AnyObject {
    /// Filters the next interleaved samples, full scale ± 1, any number per channel. The n-th sample that is returned
    /// corresponds to the n-th sample that was passed.
    ///
    /// - Returns: The samples that are finished. Up to `latency` samples per channel are returned only after more
    ///   samples have been passed.
    /// - Throws: `EncodingError` if a filter fails or returns invalid samples. The chain can't be used any more.
    func filter(_ samples: [Float]) throws(EncodingError) -> [Float]

    /// Maximum number of samples per channel by which the output lags behind the input.
    var latency: Int { get }
}
