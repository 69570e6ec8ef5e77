"""Former names, and switches between versions.

Compare: tensorflow/python/compat/v2_compat.py. Read next: ``aliases.py``.
"""

HAS_OPS = False
LOADED = ()
DOCS = {}
PUBLIC = {
    "tf": """
        template: make_template
        v2_behavior: control_flow_v2_enabled disable_control_flow_v2
        v2_behavior: disable_resource_variables disable_v2_behavior
        v2_behavior: enable_control_flow_v2 enable_resource_variables
        v2_behavior: resource_variables_enabled
        aliases: all_variables create_partitioned_variables initialize_all_variables
        aliases: initialize_local_variables initialize_variables op_scope
        aliases: to_bfloat16 to_complex128 to_complex64 variable_op_scope
        v2_behavior: disable_tensor_equality disable_v2_tensorshape
        v2_behavior: enable_tensor_equality enable_v2_behavior enable_v2_tensorshape
        """,
    "nn": """
        aliases: batch_norm_with_global_normalization relu_layer
        """,
}
