"""The protobuf messages that playhead reads, as field numbers, types and names.

These are facts of the wire format, in the spelling of Valve's public definitions; no generated code is needed.
One line a message: ``number [rep] type name`` for each field. An enumeration is an int32 on the wire.
"""

from __future__ import annotations

DEFINITIONS = """
CDemoFileHeader:
    1 string demo_file_stamp; 2 int32 patch_version; 3 string server_name; 4 string client_name; 5 string
    map_name; 6 string game_directory; 7 int32 fullpackets_version; 8 bool allow_clientside_entities; 9 bool
    allow_clientside_particles; 10 string addons; 11 string demo_version_name; 12 string demo_version_guid;
    13 int32 build_num; 14 string game; 15 int32 server_start_tick
CGameInfo:
    4 CGameInfo.CDotaGameInfo dota; 5 CGameInfo.CCSGameInfo cs
CGameInfo.CDotaGameInfo:
    1 uint64 match_id; 2 int32 game_mode; 3 int32 game_winner; 4 rep CGameInfo.CDotaGameInfo.CPlayerInfo
    player_info; 5 uint32 leagueid; 6 rep CGameInfo.CDotaGameInfo.CHeroSelectEvent picks_bans; 7 uint32
    radiant_team_id; 8 uint32 dire_team_id; 9 string radiant_team_tag; 10 string dire_team_tag; 11 uint32
    end_time
CGameInfo.CDotaGameInfo.CPlayerInfo:
    1 string hero_name; 2 string player_name; 3 bool is_fake_client; 4 uint64 steamid; 5 int32 game_team
CGameInfo.CDotaGameInfo.CHeroSelectEvent:
    1 bool is_pick; 2 uint32 team; 3 int32 hero_id
CGameInfo.CCSGameInfo:
    1 rep int32 round_start_ticks
CDemoFileInfo:
    1 float playback_time; 2 int32 playback_ticks; 3 int32 playback_frames; 4 CGameInfo game_info
CDemoPacket:
    3 bytes data
CDemoFullPacket:
    1 CDemoStringTables string_table; 2 CDemoPacket packet
CDemoSendTables:
    1 bytes data
CDemoStringTables:
    1 rep CDemoStringTables.table_t tables
CDemoStringTables.items_t:
    1 string str; 2 bytes data
CDemoStringTables.table_t:
    1 string table_name; 2 rep CDemoStringTables.items_t items; 3 rep CDemoStringTables.items_t
    items_clientside; 4 int32 table_flags
CDemoSpawnGroups:
    3 rep bytes msgs
CSVCMsg_ServerInfo:
    1 int32 protocol; 2 int32 server_count; 3 bool is_dedicated; 4 bool is_hltv; 6 int32 c_os; 10 int32
    max_clients; 11 int32 max_classes; 12 int32 player_slot; 13 float tick_interval; 14 string game_dir; 15
    string map_name; 16 string sky_name; 17 string host_name; 18 string addon_name; 19 bytes
    game_session_config; 20 bytes game_session_manifest
CNETMsg_Tick:
    1 uint32 tick; 4 uint32 host_computationtime; 5 uint32 host_computationtime_std_deviation; 7 uint32
    legacy_host_loss; 8 uint32 host_unfiltered_frametime; 9 uint32 hltv_replay_flags; 10 uint32
    expected_long_tick; 11 string expected_long_tick_reason; 12 uint32 host_frame_dropped_pct_x10; 13 uint32
    host_frame_irregular_arrival_pct_x10
CMsgPlayerInfo:
    1 string name; 2 fixed64 xuid; 3 int32 userid; 4 fixed64 steamid; 5 bool fakeplayer; 6 bool ishltv; 9
    bool clan_member; 10 bool clan_officer
CUserMessageSayText2:
    1 int32 entityindex; 2 bool chat; 3 string messagename; 4 string param1; 5 string param2; 6 string
    param3; 7 string param4; 8 bool textallchat
CDOTAUserMsg_ChatMessage:
    1 int32 source_player_id; 2 uint32 channel_type; 3 string message_text
CSVCMsg_CreateStringTable:
    1 string name; 2 int32 num_entries; 3 bool user_data_fixed_size; 4 int32 user_data_size; 5 int32
    user_data_size_bits; 6 int32 flags; 7 bytes string_data; 8 int32 uncompressed_size; 9 bool
    data_compressed; 10 bool using_varint_bitcounts
CSVCMsg_UpdateStringTable:
    1 int32 table_id; 2 int32 num_changed_entries; 3 bytes string_data
CSVCMsg_PacketEntities:
    1 int32 max_entries; 2 int32 updated_entries; 3 bool legacy_is_delta; 4 bool update_baseline; 5 int32
    baseline; 6 int32 delta_from; 7 bytes entity_data; 8 bool pending_full_frame; 9 uint32
    active_spawngroup_handle; 10 uint32 max_spawngroup_creationsequence; 11 uint32 last_cmd_number_executed;
    12 uint32 server_tick; 13 bytes serialized_entities; 15 rep
    CSVCMsg_PacketEntities.alternate_baseline_t alternate_baselines; 16 uint32 has_pvs_vis_bits_deprecated
CSVCMsg_PacketEntities.alternate_baseline_t:
    1 int32 entity_index; 2 int32 baseline_index
CSVCMsg_FlattenedSerializer:
    1 rep ProtoFlattenedSerializer_t serializers; 2 rep string symbols; 3 rep ProtoFlattenedSerializerField_t
    fields; 4 ProtoCoordSizeParams_t coord_size_params
ProtoFlattenedSerializer_t:
    1 int32 serializer_name_sym; 2 int32 serializer_version; 3 rep int32 fields_index
ProtoFlattenedSerializerField_t:
    1 int32 var_type_sym; 2 int32 var_name_sym; 3 int32 bit_count; 4 float low_value; 5 float high_value;
    6 int32 encode_flags; 7 int32 field_serializer_name_sym; 8 int32 field_serializer_version; 9 int32
    send_node_sym; 10 int32 var_encoder_sym; 11 rep ProtoFlattenedSerializerField_t.polymorphic_field_t
    polymorphic_types; 12 int32 var_serializer_sym; 13 ProtoFlattenedSerializerField_t.proto_enum_info_t
    var_enum_info
ProtoFlattenedSerializerField_t.polymorphic_field_t:
    1 int32 polymorphic_field_serializer_name_sym; 2 int32 polymorphic_field_serializer_version
ProtoFlattenedSerializerField_t.proto_enum_info_t:
    1 bool is_signed_enum
ProtoCoordSizeParams_t:
    1 int32 coord_int_bits; 2 int32 coord_frac_bits; 3 int32 coord_int_bits_mp; 4 int32 coord_frac_bits_mp;
    5 int32 normal_frac_bits; 6 int32 angle_bits
CDemoClassInfo:
    1 rep CDemoClassInfo.class_t classes
CDemoClassInfo.class_t:
    1 int32 class_id; 2 string network_name; 3 string table_name
"""
